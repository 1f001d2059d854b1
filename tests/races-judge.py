#!/usr/bin/env python3
"""races-judge: compare the logs of the actors, the task files and the journal.

    races-judge.py ROOT

It shares no code with ours: it reads the task files as the client does, verifies the chain of the
journal itself, and checks whether there is an order of events in which every report of success is
true.  Prints one line per rule, and the evidence if the rule is broken.

Some faults of the client itself are allowed.  It writes in place: if it is killed it may leave half
a file.  It deletes without a lock: a concurrent write may bring the task back.  It computes the
lists of a dependency before it takes the lock: a concurrent change of them may be undone.
proper-lockfile, its lock, may let two processes in when a lock of a dead one is taken over.  Each of
these is allowed only for those tasks and times where it can have happened (see "allowed faults").
"""
import hashlib
import json
import os
import re
import sys
from collections import defaultdict
from datetime import datetime

root = sys.argv[1]
tasks_dir = os.path.join(root, 'config/tasks/lab')
state_dir = os.path.join(root, 'config/task-hooks/lab')
bad = 0


def say(rule, evidence):
    global bad
    evidence = list(evidence)
    print(('FAIL ' if evidence else 'ok ') + rule)
    for line in evidence[:20]:
        print('  | ' + str(line)[:400])
    bad += bool(evidence)


# --- the logs -----------------------------------------------------------------

ops = []
for name in sorted(os.listdir(os.path.join(root, 'log'))):
    with open(os.path.join(root, 'log', name), encoding='utf-8') as f:
        ops += [json.loads(line) for line in f]
did = [o for o in ops if o.get('ok')]
may = [o for o in ops if o.get('ok') or o.get('maybe')]
killed = [o for o in ops if o.get('status') in ('SIGKILL', 'SIGTERM') and o['op'] != 'exit']
real = [o for o in ops if o.get('real')]
exits = {o['agent']: o for o in real if o['op'] == 'exit'}
session = {o['session']: a for a, o in exits.items()}
by_task = defaultdict(list)
for o in ops:
    for i in {o.get('task')} | set(o.get('pair') or ()):
        by_task[i].append(o)


# --- allowed faults of the client ------------------------------------------------------------------------

def meet(a, b):
    return a is not b and a['from'] < b['to'] and b['from'] < a['to']


def of_client(o):
    """Written with the client's locks: by the client itself, or by proper-lockfile."""
    return o.get('real') or 'agent' not in o or o['op'] == 'start'


def cut_short(task):
    """A client was killed while it may have been writing this file."""
    return any(o.get('real') and o.get('maybe') for o in by_task[task])


def taken_over(op, lock=None):
    """A lock of a dead process, of the task or of the list, may have been taken over by the rules of
    the client during this operation: by a concurrent operation with these rules, if no other one
    succeeded in between."""
    here = by_task[op['task']] if lock is None else [o for o in ops if o['op'] not in ('set', 'form')]
    dead = [o for o in here if (o['op'] == 'orphan' and o['task'] == (lock or op['task'])) or
            (o.get('status') == 'SIGKILL' and not o.get('real'))]
    for rival in here:
        if meet(rival, op) and of_client(rival):
            begun = min(rival['from'], op['from'])
            for k in dead:
                if k['from'] < max(rival['to'], op['to']) and not any(
                        o['from'] > k['to'] and o['to'] < begun and o.get('ok') for o in here):
                    return True
    return False


def revived(delete):
    """A delete by a client and a concurrent write to the same file."""
    task = delete['task']
    late = [exits[o['agent']] for o in by_task[task] if o.get('real') and o['op'] == 'claim' and o['agent'] in exits]
    return any(meet(o, delete) for o in by_task[task]) or \
        any(meet(o, delete) for o in ops if o['op'] == 'delete') or any(e['from'] < delete['to'] for e in late)


def undone(nodes):
    """A client computed the lists of one of these tasks while another actor changed their dependencies."""
    return any(meet(c, o) for c in real if c['op'] == 'delete' or (c.get('pair') and nodes & set(c['pair']))
               for o in ops if (o.get('pair') and set(o['pair']) <= nodes | {''}) or
               (o['op'] == 'delete' and o['task'] in nodes))


# --- the files and the journal -----------------------------------------------------------

tasks, torn, wrong = {}, {}, []
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
            torn[name[:-5]] = f'{name}: {type(e).__name__} {e}'
    elif not name.startswith('.') and not name.endswith('.lock'):
        wrong.append(f'{name} is not a file of a list')
unborn = [o for o in real if o['op'] == 'create' and o.get('maybe') and
          o['subject'] not in [t['subject'] for t in tasks.values()]]
wrong += [why for i, why in torn.items() if not cut_short(i) and not (
    unborn and not any(o.get('ok') for o in by_task[i]))]
say(f'the client can read each of {len(tasks)} tasks', wrong)

journal, wrong, prev = [], [], '0' * 64
with open(os.path.join(state_dir, 'journal.jsonl'), 'rb') as f:
    data = f.read()
if data and not data.endswith(b'\n'):
    wrong.append('the last line is incomplete')
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
say(f'the chain of a journal of {len(journal)} lines is valid', wrong)

# The lock of a task does not protect its creation: a concurrent read may find an empty file.
wrong = [o for o in ops if o.get('status') not in (None, 'SIGKILL') and isinstance(o['status'], str) and
         not (o.get('real') and o['status'] == 'SIGTERM')]
wrong += [o for o in ops if o.get('status') == 1 and not (
    'valid JSON' in o['why'] and (o['task'] in torn or cut_short(o['task']) or any(
        c['op'] == 'create' and of_client(c) and meet(c, o) for c in ops)))]
asked = sum(1 for o in ops if o['op'] not in ('exit', 'orphan'))
say(f'no operation crashes or ends with an unexpected status: {asked} operations by '
    f'{len(set(o["actor"] for o in ops))} actors, {len(killed)} killed', wrong)
lives = [o.get('status') for o in exits.values()]
told = [o for o in real if o['op'] not in ('exit', 'orphan')]
say(f'the real client makes operations: {len(told)}, {sum(1 for o in told if o["ok"])} with success; '
    f'{len(lives) - lives.count(None)} of its {len(lives)} processes killed', [] if told else ['there was no client'])

# --- ids ---------------------------------------------------------------------------

wrong, made, shared = [], defaultdict(set), set()
for o in did:
    if o['op'] == 'create':
        made[o['task']].add(o['subject'])
        if len(made[o['task']]) > 1 and taken_over(o, 'list'):
            shared.add(o['task'])
for e in journal:
    if e['event'] == 'create':
        made[e['task']].add(e['to']['subject'])
for t in tasks.values():
    made[t['id']].add(t['subject'])
wrong += [f'id {i} was given to {sorted(s)}' for i, s in made.items() if len(s) > 1 and i not in shared]
seen = defaultdict(set)
for i, subjects in made.items():
    for s in subjects:
        seen[s].add(i)
wrong += [f'{s} was created as {sorted(i)}' for s, i in seen.items() if len(i) > 1]
say(f'no id is given twice, of {len(made)} ids', wrong)

deleted = {o['task'] for o in may if o['op'] == 'delete'}
wrong = [f'{o["task"]} created by {o["actor"]} is missing, and no actor deleted it' for o in did
         if o['op'] == 'create' and o['task'] not in tasks and o['task'] not in deleted and o['task'] not in torn]
wrong += [f'{o["task"]} was deleted by {o["actor"]} but exists' for o in did
          if o['op'] == 'delete' and o['task'] in tasks and not any(
              d.get('real') and revived(d) for d in by_task[o['task']] if d['op'] == 'delete') and not taken_over(o)]
say('every created task exists and no deleted task exists', wrong)

# --- updates -----------------------------------------------------------------------

# A task that came back after a delete has the values of the time of the delete.
risen = {o['task'] for o in may if o['op'] == 'delete' and o.get('real') and o['task'] in tasks}
wrong, count = [], 0
sets, forms = defaultdict(list), defaultdict(list)
for o in ops:
    if o['op'] == 'set':
        sets[o['task'], o['actor']].append(o)
    if o['op'] == 'form':
        forms[o['task']].append(o)
for (task, actor), asked in sets.items():
    asked.sort(key=lambda o: o['from'])
    count += sum(1 for o in asked if o['ok'])
    if task not in tasks or task in risen:
        continue
    last = max((o for o in asked if o['ok']), key=lambda o: o['value'], default=None)
    floor = last['value'] if last else None
    fits = {floor} | {o['value'] for o in asked if o.get('maybe') and (last is None or o['value'] > floor)}
    value = tasks[task].get('metadata', {}).get(actor)
    if value not in fits and not (last and taken_over(last)):
        wrong.append(f'task {task}: {actor} wrote {floor}, the file has {value}')
for task, asked in forms.items():
    count += sum(1 for o in asked if o['ok'])
    if task not in tasks or task in risen:
        continue
    value = tasks[task].get('activeForm')
    # Any value that was not certainly followed by another one.
    fits = {o['value'] for o in asked if (o['ok'] or o.get('maybe')) and not any(
        p['ok'] and p['from'] > o['to'] for p in asked)}
    if not any(o['ok'] for o in asked):
        fits.add(None)
    if value not in fits and not any(o['ok'] and taken_over(o) for o in asked):
        wrong.append(f'task {task}: the clients wrote {fits}, the file has {value}')
say(f'no update is lost, of {count} updates', wrong)

# --- the last operation on each task -----------------------------------------------------------------

says = {'claim': 'in_progress', 'start': 'in_progress', 'complete': 'completed', 'release': 'pending',
        'reset': 'pending', 'stop': None, 'delete': None}
wrong, count = [], 0
for task, t in tasks.items():
    words = [o for o in by_task[task] if o['op'] in says and (o.get('ok') or o.get('maybe')) and
             o['task'] == task and not o.get('hook')]
    last = max(words, key=lambda o: o['to'], default=None)
    if last is None or not last.get('ok') or says[last['op']] is None or any(
            meet(o, last) for o in words) or any(meet(o, last) for o in by_task[task] if o.get('hook')):
        continue
    count += 1
    fits = {says[last['op']]}
    if last.get('real') and last['op'] == 'claim':
        fits.add('pending')  # with the end of its client
    if t['status'] not in fits and task not in risen and not taken_over(last):
        wrong.append(f'task {task} is {t["status"]}, but the last operation is: {last}')
say(f'the status of a task is that of its last operation, for {count} tasks', wrong)

# --- claims ------------------------------------------------------------------------

# All that can free a task: a release, a completion, a stop, or the end of the client that had it.
ends = defaultdict(list)
for o in may:
    if o['op'] in ('release', 'complete', 'delete', 'stop', 'reset'):
        ends[o['task']].append(o)
claims = defaultdict(list)
for o in did:
    if o['op'] == 'claim':
        claims[o['task']].append(o)
wrong, count = [], 0
for task, taken in claims.items():
    taken.sort(key=lambda o: o['to'])
    count += len(taken)
    for a, b in zip(taken, taken[1:]):
        # If they were concurrent, it is not known which was first.
        begun, done = min(a['from'], b['from']), max(a['to'], b['to'])
        if a['agent'] != b['agent'] and not any(e['from'] < done and e['to'] > begun for e in ends[task]) and \
                not any(c['agent'] in exits and exits[c['agent']]['from'] < done for c in (a, b)):
            wrong.append(f'task {task}: {a["agent"]} had it, {b["agent"]} got it, too')
say(f'no task is claimed by two agents at a time, of {count} claims', wrong)

wrong = []
for t in tasks.values():
    owner = t.get('owner')
    if t['status'] == 'in_progress' and not any(
            o['op'] in ('claim', 'start') and o['task'] == t['id'] and (
                o['agent'] == owner or (o.get('real') and not owner)) for o in may):
        wrong.append(f'task {t["id"]} is in progress for {owner}, which did not claim it')
    if t['status'] == 'completed' and not any(
            o['op'] == 'complete' and o['task'] == t['id'] for o in may):
        wrong.append(f'task {t["id"]} is completed, but no actor completed it')
    if t['status'] == 'pending' and owner and not any(
            r['op'] == 'reset' and meet(r, o) for r in by_task[t['id']] for o in by_task[t['id']]):
        wrong.append(f'task {t["id"]} is pending, but has the owner {owner}')
say('every owner has claimed its task, and every completed task was completed by an actor', wrong)

# --- the journal compared with the logs -----------------------------------------------------

lines = defaultdict(int)
for e in journal:
    lines[e['event'], e.get('task'), e.get('agent') or session.get(e.get('session'))] += 1
asked, wrong = defaultdict(int), []
for o in did:
    if o.get('real'):
        # Our hooks see the calls of the client: a start is a claim, a completion has a receipt.
        if o['op'] == 'claim' or (o['op'] == 'complete' and o['changed']):
            asked['claim' if o['op'] == 'claim' else 'receipt', o['task'], o['agent']] = 1
    elif o['op'] in ('create', 'claim', 'complete', 'delete') and o.get('agent'):
        if not (o['op'] == 'claim' and o['agent'] == o['actor']):
            asked[o['op'], o['task'], o['agent']] += 1
        else:
            asked[o['op'], o['task'], o['agent']] = 1  # a second claim by the same agent changes nothing
wrong = [f'{k}: {n} done, {lines[k]} in the journal' for k, n in asked.items() if lines[k] < n]
written = {(e['task'], k, v) for e in journal if e['event'] == 'update'
           for k, v in (e.get('to', {}).get('metadata') or {}).items()}
wrong += [f'update {o["task"]} {o["actor"]}={o["value"]} is not in the journal' for o in did
          if o['op'] == 'set' and 'agent' in o and (o['task'], o['actor'], o['value']) not in written]
say('every successful operation is in the journal', wrong)



def justified(e):
    here = by_task[e['task']]
    if e['why'] == 'released by hand':
        return any(o['op'] == 'release' for o in here)
    if e['why'] == 'the agent stopped':
        return any(o['op'] == 'stop' and o['agent'] == e.get('agent') for o in ops)
    if e['why'] in ('its client is gone', 'its session has ended'):
        when = datetime.fromisoformat(e['time'].replace('Z', '+00:00')).timestamp() * 1000
        return any(o['op'] == 'claim' and o['agent'] in exits and exits[o['agent']]['at'] <= when + 1
                   for o in may if o.get("task") == e['task'])
    return False


released = [e for e in journal if e['event'] == 'release']
say(f'every release has a cause, of {len(released)} releases',
    [f'line {e["seq"]}: {e["task"]} from {e.get("agent")}: {e["why"]}' for e in released if not justified(e)])

# --- dependencies --------------------------------------------------------------------

# Two files cannot be written at once: an actor killed in between may leave only one side.
loose = {tuple(sorted(o['pair'])) for o in ops if o.get('pair') and o.get('maybe') and '' not in o['pair']}
half = {i for o in ops if o.get('pair') and o.get('maybe') for i in o['pair']} | \
    {o['task'] for o in ops if o['op'] == 'delete' and o.get('maybe')}
wrong, edges = [], 0
for t in tasks.values():
    for there, back in (('blocks', 'blockedBy'), ('blockedBy', 'blocks')):
        for i in t[there]:
            edges += 1
            if t['id'] in tasks.get(i, {}).get(back, []):
                continue
            if tuple(sorted((t['id'], i))) not in loose and t['id'] not in half and i not in half and \
                    i not in deleted and not risen & {t['id'], i} and not undone({t['id'], i}):
                wrong.append(f'task {t["id"]} {there} {i}, but {i} has no such entry')
say(f'both tasks have each dependency, of {edges // 2} dependencies', wrong)

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
            circle = [x for x, _ in stack]
            circle = circle[circle.index(step):]
            if not risen & set(circle) and not undone(set(circle)):
                wrong.append('cycle: ' + ' -> '.join(circle + [step]))
        elif step in tasks and step not in colour:
            colour[step] = 'open'
            stack.append((step, iter(tasks[step]['blockedBy'])))


for i in tasks:
    if i not in colour:
        visit(i)
say('the dependencies have no cycle', wrong)

sys.exit(1 if bad else 0)
