#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every fuzz target for a quarter of an hour of one core.

    tools/fuzz_smoke.sh 1 && python3 bench/studies/fuzzing.py build/asan

Seconds are those of the processor, so that other work beside does not count. A row of docs/results/fuzzing.md is written as
soon as a target is done, and a target with a row is not done again (`--again` forgets the rows): what does not fit into a
day goes on the next. Inputs that reached new code stay below the build's folder; `--merge` adds those to fuzz/corpus that the
corpus there does not cover.
"""

import argparse
import datetime
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from study_tool import ROOT, machine, table, write_page

PAGE = ROOT / "docs/results/fuzzing.md"
HEADER = ["target", "day", "minutes of a core", "inputs run", "inputs kept", "findings"]
LONGEST = 4096  # bytes of an input that is kept in the corpus


class Record:
    """The rows of the page, by target."""

    def __init__(self, forget):
        self.lock = threading.Lock()
        self.rows = {}
        if PAGE.exists() and not forget:
            for line in PAGE.read_text().splitlines():
                cells = [cell.strip() for cell in line.strip("|").split("|")]
                if len(cells) == len(HEADER) and cells[0].startswith("fuzz_"):
                    self.rows[cells[0]] = cells

    def add(self, row):
        with self.lock:
            self.rows[row[0]] = row
            write_page("fuzzing.md", "\n\n".join([
                "# Fuzzing",
                f"`bench/studies/fuzzing.py` on {machine()}: libFuzzer with the address and undefined-behaviour sanitizers, "
                "inputs of up to 64 KiB, 1 GiB of memory. Targets without a row have not had their time yet.",
                table(HEADER, [self.rows[name] for name in sorted(self.rows)]),
            ]))  # fmt: skip
            print(" | ".join(row), flush=True)


def processor_seconds(process):
    """None when it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def fuzz(build, target, seconds):
    name = target.removeprefix("fuzz_")
    folder = build / "long" / name
    corpus = folder / "corpus"
    if not corpus.exists():
        shutil.copytree(ROOT / "fuzz/corpus" / name, corpus)
    log = folder / "log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [build / "fuzz" / target, "-max_len=65536", "-rss_limit_mb=1024", "-malloc_limit_mb=512", "-timeout=120",
             f"-artifact_prefix={folder}/finding-", "-print_final_stats=1", corpus],
            stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
        spent = 0.0
        while process.poll() is None:
            time.sleep(1)
            spent = processor_seconds(process) or spent
            if spent >= seconds:
                process.send_signal(signal.SIGINT)
                break
        process.wait()
    text = log.read_text(errors="replace")
    runs = re.findall(r"number_of_executed_units: *(\d+)", text)
    findings = len(list(folder.glob("finding-*")))
    return [target, str(datetime.date.today()), f"{spent / 60:.1f}", runs[-1] if runs else "?",
            str(len(list(corpus.iterdir()))), str(findings)]  # fmt: skip


def merge(build, target):
    name = target.removeprefix("fuzz_")
    found = build / "long" / name / "corpus"
    if not found.exists():
        return
    short = build / "long" / name / "short"
    shutil.rmtree(short, ignore_errors=True)
    short.mkdir()
    for path in found.iterdir():
        if path.stat().st_size <= LONGEST:
            shutil.copy(path, short)
    subprocess.run([build / "fuzz" / target, "-merge=1", ROOT / "fuzz/corpus" / name, short],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no target after so many")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--merge", action="store_true")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    targets = arguments.only or sorted(path.stem for path in (ROOT / "fuzz").glob("fuzz_*.cpp"))
    if arguments.merge:
        for target in targets:
            merge(build, target)
        return 0
    record = Record(arguments.again)
    waiting = [target for target in targets if target not in record.rows]
    end = time.monotonic() + 60 * arguments.minutes

    def work():
        while waiting and time.monotonic() < end:
            record.add(fuzz(build, waiting.pop(0), arguments.seconds))

    workers = [threading.Thread(target=work) for _ in range(os.cpu_count() or 1)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return 1 if any(row[-1] != "0" for row in record.rows.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
