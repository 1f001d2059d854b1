#!/usr/bin/env python3
#
# workers.py BLOCKS COMMAND [ARGUMENT]...: the program that workers.md prints, on ./.tasks.
#
#   same               compare workers-lines.py with the extracted blocks, word by word
#   NAME ARGUMENT...   call a function (create_task, claim_task, ...) and print what it returns;
#                      several calls are separated by ','
#   all                run the last block; print what each call returned
#   work NAME COUNT    create, claim and complete COUNT tasks, each under this owner
#
# What the document does not print is defined here: the files, the random number.
import json
import os
import re
import secrets
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

FOLDER = Path('.tasks')


def random_hex(digits):
    return secrets.token_hex(digits)[:digits]


def _task_path(task_id):
    return FOLDER / f'{task_id}.json'


def save_task(task):
    FOLDER.mkdir(exist_ok=True)
    _task_path(task.id).write_text(json.dumps(asdict(task), indent=2))


def load_task(task_id):
    return Task(**json.loads(_task_path(task_id).read_text()))


def list_tasks():
    return [load_task(p.stem) for p in sorted(FOLDER.glob('task_*.json'))]


def sections():
    text = Path(__file__).with_name('workers-lines.py').read_text(encoding='utf-8')
    parts = re.split(r'(?m)^# (workers\.\d+)\n', text)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def same(blocks):
    for name, text in sections().items():
        if text.split() != (Path(blocks) / name).read_text(encoding='utf-8').split():
            sys.exit(f'{name} is not what the document prints')
    print(*sections())


def noted(fn):
    def call(*args, **named):
        value = fn(*args, **named)
        print(f'Created {value.id} ({value.subject})' if isinstance(value, Task) else value)
        return value
    return call


def main():
    blocks, command, args = sys.argv[1], sys.argv[2], sys.argv[3:]
    if command == 'same':
        return same(blocks)
    *functions, last = sections().values()
    for text in functions:
        exec(text, globals())  # pylint: disable=exec-used
    if command == 'all':
        for name in ('create_task', 'claim_task', 'complete_task'):
            globals()[name] = noted(globals()[name])
        exec(last, globals())  # pylint: disable=exec-used
    elif command == 'work':
        for i in range(int(args[1])):
            task = create_task(f'{args[0]} {i}')
            claim_task(task.id, args[0])
            complete_task(task.id)
    else:
        for call in ' '.join([command] + args).split(' , '):
            name, *rest = call.split(' ')
            noted(globals()[name])(*rest)
    return None


main()
