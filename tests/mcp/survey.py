"""Probes published MCP servers that need no account, each in a folder of its own. Prints the table of `idem explain survey`.

usage: survey.py IDEM [NAME...]

What it installs comes from PyPI and npm; the ledger is the server's own state, read by a command.
"""

import json
import os
import subprocess
import sys
import tempfile

# Prints one JSON line for each intent that stands in the files, as often as it stands there.
GREP = """python3 -c "
import glob, json, re, sys
for name in sorted(glob.glob('{files}', recursive=True)):
    try: text = open(name, errors='replace').read()
    except IsADirectoryError: text = ''
    for intent in re.findall(r'idem-[0-9a-f]{{8}}-[a-z0-9_]+-[0-9]+', {text}):
        print(json.dumps({{'intent': intent}}))
" """
IN_TEXT = lambda files: GREP.format(files=files, text="text")
IN_NAMES = lambda files: GREP.format(files=files, text="name")
# The same for the rows of a SQLite database: an intent once a row.
SQLITE = lambda file: """python3 -c "
import json, re, sqlite3
db = sqlite3.connect('{file}')
for (table,) in db.execute('select name from sqlite_master where type = ? and sql not like ?', ('table', '%fts%')).fetchall():
    for row in db.execute('select * from [' + table + ']'):
        found = re.search(r'idem-[0-9a-f]{{8}}-[a-z0-9_]+-[0-9]+', str(row))
        if found: print(json.dumps({{'intent': found[0]}}))
" """.format(file=file)

# Where it is from, its command, tool, arguments, files to begin with, a command that prepares them, and the ledger.
MEMORY = ("npm", "@modelcontextprotocol/server-memory", ["{bin}/mcp-server-memory"])
FILES = ("npm", "@modelcontextprotocol/server-filesystem", ["{bin}/mcp-server-filesystem", "{here}"])
GIT = ("pypi", "mcp-server-git", ["{bin}/mcp-server-git", "--repository", "{here}"])
TOOLKIT = ("pypi", "agent-toolkit-mcp-server", ["{bin}/agent-toolkit-mcp-server"], "mcp<2")
SUBJECTS = [
    (MEMORY, "create_entities", {"entities": [{"name": "{{intent}}", "entityType": "order", "observations": []}]}, "true", IN_TEXT("memory.json")),
    (MEMORY, "create_relations", {"relations": [{"from": "a", "to": "b", "relationType": "{{intent}}"}]}, "true", IN_TEXT("memory.json")),
    (MEMORY, "add_observations", {"observations": [{"entityName": "a", "contents": ["{{intent}}"]}]},
     """echo '{"type":"entity","name":"a","entityType":"t","observations":[]}' > memory.json""", IN_TEXT("memory.json")),
    (FILES, "write_file", {"path": "{here}/orders-{{intent}}", "content": "x"}, "true", IN_NAMES("orders-*")),
    (FILES, "create_directory", {"path": "{here}/orders-{{intent}}"}, "true", IN_NAMES("orders-*")),
    (FILES, "edit_file", {"path": "{here}/orders.txt", "edits": [{"oldText": "END", "newText": "{{intent}}\nEND"}]},
     "echo END > orders.txt", IN_TEXT("orders.txt")),
    (("pypi", "mcp-server-sqlite", ["{bin}/mcp-server-sqlite", "--db-path", "state.db"], "mcp<2"), "write_query",
     {"query": "insert into t values ('{{intent}}', {{amount}})"},
     "python3 -c \"import sqlite3; sqlite3.connect('state.db').execute('create table t (intent, amount)')\"", SQLITE("state.db")),
    (GIT, "git_create_branch", {"repo_path": "{here}", "branch_name": "{{intent}}"},
     "git init -q . && git -c user.name=n -c user.email=e commit -q --allow-empty -m first", IN_NAMES(".git/refs/heads/*")),
    (("pypi", "ai-todo", ["{bin}/ai-todo", "--root", "{here}", "serve"]), "add_task", {"description": "{{intent}}", "tags": ["a"]}, "true", IN_TEXT("TODO.md")),
    (TOOLKIT, "todo_create", {"text": "{{intent}}"}, "true", SQLITE("home/.agent-toolkit/data.db")),
    (("pypi", "agent-logbook", ["{bin}/agent-logbook"], "mcp<2"), "remember", {"type": "fact", "content": "{{intent}}"}, "true",
     SQLITE("logbook.db")),
    (("npm", "@itseasy21/mcp-knowledge-graph", ["{bin}/mcp-knowledge-graph", "--memory-path", "{here}/graph.jsonl"]), "create_entities",
     {"entities": [{"name": "{{intent}}", "entityType": "order", "observations": []}]}, "true", IN_TEXT("graph.jsonl")),
    (("npm", "mcp-sqlite", ["{bin}/mcp-sqlite-server", "state.db"]), "create_record",
     {"table": "t", "data": {"intent": "{{intent}}", "amount": 1}},
     "python3 -c \"import sqlite3; sqlite3.connect('state.db').execute('create table t (intent, amount)')\"", SQLITE("state.db")),
    (("npm", "@kazuph/mcp-taskmanager", ["{bin}/mcp-taskmanager"]), "request_planning",
     {"originalRequest": "r", "splitDetails": "s", "tasks": [{"title": "{{intent}}", "description": "d"}]}, "mkdir -p home/Documents",
     IN_TEXT("home/**/tasks.json")),
]


def installed(kind, package, extra, folder):
    if kind == "npm":
        quiet = ["--silent", "--no-audit", "--no-fund"]
        done = subprocess.run(["npm", "install", *quiet, "--prefix", folder, package], capture_output=True)
        path, version = f"{folder}/node_modules/.bin", None
        if done.returncode == 0:
            version = json.load(open(f"{folder}/node_modules/{package}/package.json"))["version"]
        return path, version
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    done = subprocess.run([f"{folder}/bin/pip", "install", "-q", package, *extra], capture_output=True)
    if done.returncode:
        return None, None
    told = subprocess.run([f"{folder}/bin/pip", "show", package], capture_output=True, text=True).stdout
    return f"{folder}/bin", next(line.split()[1] for line in told.splitlines() if line.startswith("Version:"))


def filled(value, **places):
    text = json.dumps(value)
    for name, place in places.items():
        text = text.replace("{" + name + "}", place)
    return json.loads(text)


def probed(idem, subject, folders):
    (kind, package, command, *extra), tool, args, prepare, ledger = subject
    path, version = folders[package]
    if version is None:
        return f"{package}: SKIPPED, it cannot be installed"
    with tempfile.TemporaryDirectory() as here:
        subprocess.run(prepare, shell=True, cwd=here, check=True)
        os.makedirs(f"{here}/home", exist_ok=True)
        command, args = filled([command, args], bin=path, here=here)
        env = os.environ | {"MEMORY_FILE_PATH": f"{here}/memory.json", "HOME": f"{here}/home"}
        options = ["--tool", tool, "--args", json.dumps(args), "--ledger-cmd", ledger, "--format", "json", "--lease", "500ms"]
        ran = subprocess.run([idem, "probe", "--mcp", *options, "--", *command], cwd=here, env=env, capture_output=True, text=True)
    if not ran.stdout:
        return f"{package} {tool}: {ran.stderr.strip().splitlines()[-1]}"
    document = json.loads(ran.stdout)
    told, rows = document["mcp"], {row["check"]: row for row in document["checks"]}
    shown = [f"{name} {row['verdict']}" for name, row in rows.items() if row["verdict"] not in ("OK", "SKIPPED")]
    if os.environ.get("VERBOSE"):
        print(json.dumps([(name, row["verdict"], row["evidence"]) for name, row in rows.items()], indent=1))
    claim = "idempotent" if told["idempotentHint"] else "none"
    return f"{package} {version}\n  {tool}: claims {claim}, {told['verdict']} ({told['revision']}); {', '.join(shown) or 'clean'}"


def main():
    idem, *names = sys.argv[1:]
    idem = os.path.abspath(idem)
    chosen = [subject for subject in SUBJECTS if not names or subject[0][1] in names]
    with tempfile.TemporaryDirectory() as root:
        folders = {}
        for (kind, package, _, *extra), *_ in chosen:
            if package not in folders:
                folders[package] = installed(kind, package, extra, f"{root}/{len(folders)}")
        for subject in chosen:
            print(probed(idem, subject, folders), flush=True)


main()
