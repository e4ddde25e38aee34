"""What the scripts of this folder share: run a program with a time limit, and run bsym for its JSON."""
import json, os, pathlib, subprocess, time

# Work is measured, and not answers that are kept.
os.environ['BSYM_CACHE'] = 'off'

root = pathlib.Path(__file__).resolve().parent.parent
program = str(root / 'target/release/bsym')


def timed(command, limit=None, **more):
    """Standard output of a command, or `None` if it passed the limit, and seconds of the whole process."""
    begin = time.monotonic()
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, timeout=limit, **more)
    except subprocess.TimeoutExpired:
        return None, time.monotonic() - begin
    return done.stdout.decode('utf8', 'replace'), time.monotonic() - begin


def answer(bsym, arguments, limit=None):
    """The result of bsym as JSON, `{'verdict': 'error'}` without one, and seconds of the whole process."""
    text, seconds = timed([bsym, *arguments, '--json'], limit)
    try:
        result = json.loads(text or '')
    except ValueError:
        result = {}
    return (result if 'verdict' in result else {'verdict': 'error'}), seconds


def header(*columns):
    """The first two lines of a Markdown table."""
    return '| ' + ' | '.join(columns) + ' |\n|' + '---|' * len(columns)


def row(*cells):
    return '| ' + ' | '.join(map(str, cells)) + ' |'
