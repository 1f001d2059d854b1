#!/usr/bin/env python3
"""races-judge: what happened, according to those who did it, the files, and the journal.

    races-judge.py ROOT

Knows nothing of our code: it reads the task files as the client would, works out the journal's
chain anew, and asks whether there is an order of events in which everybody was told the truth.
Prints one line per question, and the evidence where the answer is no.
"""
import hashlib
import json
import os
import re
import sys
from collections import defaultdict

root = sys.argv[1]
tasks_dir = os.path.join(root, 'config/tasks/lab')
state_dir = os.path.join(root, 'config/task-hooks/lab')
bad = 0


def say(question, evidence):
    global bad
    evidence = list(evidence)
    print(('FAIL ' if evidence else 'ok ') + question)
    for line in evidence[:20]:
        print('  | ' + str(line)[:400])
    bad += bool(evidence)


# --- the evidence -----------------------------------------------------------------

ops = []
for name in sorted(os.listdir(os.path.join(root, 'log'))):
    with open(os.path.join(root, 'log', name), encoding='utf-8') as f:
        ops += [json.loads(line) for line in f]
did = [o for o in ops if o.get('ok')]
may = [o for o in ops if o.get('ok') or o.get('maybe')]
killed = [o for o in ops if o.get('status') == 'SIGKILL']

tasks, wrong = {}, []
for name in os.listdir(tasks_dir):
    path = os.path.join(tasks_dir, name)
    if re.fullmatch(r'\d+\.json', name):
        try:
            with open(path, encoding='utf-8') as f:
                t = json.load(f)
            assert t['id'] == name[:-5] and t['status'] in ('pending', 'in_progress', 'completed')
            assert isinstance(t['subject'], str) and isinstance(t['description'], str)
            assert all(isinstance(x, str) for x in t['blocks'] + t['blockedBy'])
            assert isinstance(t.get('owner', ''), str) and isinstance(t.get('metadata', {}), dict)
            tasks[t['id']] = t
        except (ValueError, KeyError, AssertionError, TypeError) as e:
            wrong.append(f'{name}: {type(e).__name__} {e}')
    elif not name.startswith('.') and not name.endswith('.lock'):
        wrong.append(f'{name} has no business there')
say(f'{len(tasks)} tasks, each of them one that the client can see', wrong)

journal, wrong, prev = [], [], '0' * 64
with open(os.path.join(state_dir, 'journal.jsonl'), 'rb') as f:
    data = f.read()
if data and not data.endswith(b'\n'):
    wrong.append('it ends in the middle of a line')
for n, line in enumerate(data.split(b'\n')[:-1], 1):
    try:
        e = json.loads(line)
        body = line[:line.rindex(b',"hash":"')]
        assert e['seq'] == n and e['prev'] == prev
        assert hashlib.sha256(body).hexdigest() == e['hash']
        prev = e['hash']
        journal.append(e)
    except (ValueError, KeyError, AssertionError) as x:
        wrong.append(f'line {n}: {type(x).__name__} {x}: {line[:200]!r}')
        break
say(f'a journal of {len(journal)} lines, the chain intact', wrong)

say(f'{len(ops)} operations by {len(set(o["actor"] for o in ops))}, {len(killed)} killed: no crash, no '
    'surprise', [o for o in ops if isinstance(o.get('status'), str) and o['status'] != 'SIGKILL'] +
    [o for o in ops if o.get('status') == 1])

# --- ids ---------------------------------------------------------------------------

wrong, made = [], defaultdict(set)
for o in did:
    if o['op'] == 'create':
        made[o['task']].add(o['subject'])
for e in journal:
    if e['event'] == 'create':
        made[e['task']].add(e['to']['subject'])
for t in tasks.values():
    made[t['id']].add(t['subject'])
wrong += [f'id {i} was given to {sorted(s)}' for i, s in made.items() if len(s) > 1]
seen = defaultdict(set)
for i, subjects in made.items():
    for s in subjects:
        seen[s].add(i)
wrong += [f'{s} was made as {sorted(i)}' for s, i in seen.items() if len(i) > 1]
say(f'{len(made)} ids given, none twice', wrong)

deleted = {o['task'] for o in may if o['op'] == 'delete'}
wrong = [f'{o["task"]} made by {o["actor"]} is gone, and nobody deleted it' for o in did
         if o['op'] == 'create' and o['task'] not in tasks and o['task'] not in deleted]
wrong += [f'{o["task"]} was deleted by {o["actor"]} and is there' for o in did
          if o['op'] == 'delete' and o['task'] in tasks]
say('what was made is there, what was deleted is not', wrong)

# --- updates -----------------------------------------------------------------------

wrong, count = [], 0
sets = defaultdict(list)
for o in ops:
    if o['op'] == 'set':
        sets[o['task'], o['actor']].append(o)
for (task, actor), asked in sets.items():
    asked.sort(key=lambda o: o['from'])
    count += sum(1 for o in asked if o['ok'])
    if task not in tasks:
        continue
    last = max((o['value'] for o in asked if o['ok']), default=None)
    fits = {last} | {o['value'] for o in asked if o.get('maybe') and (last is None or o['value'] > last)}
    value = tasks[task].get('metadata', {}).get(actor)
    if value not in fits:
        wrong.append(f'task {task}: {actor} wrote {last}, the file has {value}')
say(f'{count} updates, none lost', wrong)

# --- claims ------------------------------------------------------------------------

# Whatever can have freed a task: a release, an end, or the death of an actor's process.
ends = defaultdict(list)
for o in may:
    if o['op'] in ('release', 'complete', 'delete', 'stop'):
        ends[o['task']].append(o)
exits = [o for o in ops if o['op'] == 'exit']
claims = defaultdict(list)
for o in did:
    if o['op'] == 'claim':
        claims[o['task']].append(o)
wrong, count = [], 0
for task, taken in claims.items():
    taken.sort(key=lambda o: o['to'])
    count += len(taken)
    for a, b in zip(taken, taken[1:]):
        if a['agent'] != b['agent'] and not any(
                e['from'] < b['to'] and e['to'] > a['from'] for e in ends[task] + exits):
            wrong.append(f'task {task}: {a["agent"]} had it, {b["agent"]} got it too')
say(f'{count} claims, none of them of what another had', wrong)

wrong = []
for t in tasks.values():
    owner = t.get('owner')
    if t['status'] == 'in_progress' and not any(
            o['op'] in ('claim', 'start') and o['task'] == t['id'] and o['agent'] == owner for o in may):
        wrong.append(f'task {t["id"]} is in progress for {owner}, who never claimed it')
    if t['status'] == 'completed' and not any(
            o['op'] == 'complete' and o['task'] == t['id'] for o in may):
        wrong.append(f'task {t["id"]} is completed, and nobody completed it')
    if t['status'] == 'pending' and owner:
        wrong.append(f'task {t["id"]} waits, and yet belongs to {owner}')
say('whoever has a task has claimed it, whatever is completed was completed', wrong)

# --- the journal against the rest -----------------------------------------------------

lines = defaultdict(int)
for e in journal:
    lines[e['event'], e.get('task'), e.get('agent')] += 1
asked, wrong = defaultdict(int), []
for o in did:
    if o['op'] in ('create', 'claim', 'complete', 'delete') and o.get('agent'):
        if not (o['op'] == 'claim' and o['agent'] == o['actor']):
            asked[o['op'], o['task'], o['agent']] += 1
        else:
            asked[o['op'], o['task'], o['agent']] = 1  # to claim what one has is no change
wrong = [f'{k}: {n} done, {lines[k]} in the journal' for k, n in asked.items() if lines[k] < n]
written = {(e['task'], k, v) for e in journal if e['event'] == 'update'
           for k, v in (e.get('to', {}).get('metadata') or {}).items()}
wrong += [f'update {o["task"]} {o["actor"]}={o["value"]} is not in the journal' for o in did
          if o['op'] == 'set' and 'agent' in o and (o['task'], o['actor'], o['value']) not in written]
say('everything that was done is in the journal', wrong)

wrong = []
for e in journal:
    if e['event'] == 'release' and not any(
            (o['op'] in ('release', 'stop') and o['task'] == e['task']) or
            (o['op'] == 'stop' and o['agent'] == e.get('agent')) for o in ops) and not exits:
        wrong.append(f'line {e["seq"]}: release of {e["task"]} from {e.get("agent")}: nobody asked for it')
say(f'{sum(1 for e in journal if e["event"] == "release")} releases, each of them asked for', wrong)

# --- dependencies --------------------------------------------------------------------

# Two files cannot be written at once: who was killed in between may have left one side.
loose = {tuple(sorted(o['pair'])) for o in ops if o.get('pair') and not o.get('ok') and '' not in o['pair']}
half = {i for o in ops if o.get('pair') and not o.get('ok') for i in o['pair']} | \
    {o['task'] for o in ops if o['op'] == 'delete' and not o.get('ok')}
wrong, edges = [], 0
for t in tasks.values():
    for there, back in (('blocks', 'blockedBy'), ('blockedBy', 'blocks')):
        for i in t[there]:
            edges += 1
            if t['id'] in tasks.get(i, {}).get(back, []):
                continue
            if tuple(sorted((t['id'], i))) not in loose and t['id'] not in half and i not in half and \
                    i not in deleted:
                wrong.append(f'task {t["id"]} {there} {i}, but {i} does not know')
say(f'{edges // 2} dependencies, known to both sides', wrong)

wrong, colour = [], {}


def visit(start):
    stack = [(start, iter(tasks[start]['blockedBy']))]
    colour[start] = 'open'
    while stack:
        here, rest = stack[-1]
        step = next(rest, None)
        if step is None:
            colour[here] = 'done'
            stack.pop()
        elif colour.get(step) == 'open':
            wrong.append('cycle: ' + ' -> '.join([x for x, _ in stack] + [step]))
        elif step in tasks and step not in colour:
            colour[step] = 'open'
            stack.append((step, iter(tasks[step]['blockedBy'])))


for i in tasks:
    if i not in colour:
        visit(i)
say('no circle among them', wrong)

sys.exit(1 if bad else 0)
