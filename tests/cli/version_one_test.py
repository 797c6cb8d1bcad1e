# SPDX-License-Identifier: Apache-2.0
"""Models of format version 1 keep their meaning.

tests/fixtures/v1 holds models of every kind, and what the tool that wrote them did with them;
tools/write_v1_fixtures.py has made it. The files stay as they are.
"""

import json
import math
import re
import shutil
import unittest

from tool import HERE, ToolTest

FIXTURES = HERE.parent / "fixtures" / "v1"
ENTRIES = json.loads((FIXTURES / "manifest.json").read_text())
#: Numbers may differ by rounding: BLAS sums in another order on another processor.
TOLERANCE = 1e-12
CELLS = re.compile(r"[,\s]+")


def number_of(text):
    try:
        return float(text)
    except ValueError:
        return None


def differences(answer, stored):
    """Cells of a written answer that are neither the same text nor, as numbers, close to the stored
    ones in relation to the largest."""
    if answer == stored:
        return []
    found, wanted = (CELLS.split(text.strip()) for text in (answer, stored))
    if len(found) != len(wanted) or answer.count("\n") != stored.count("\n"):
        return [("cells", len(found), len(wanted))]
    numbers = [(number_of(a), number_of(b)) for a, b in zip(found, wanted)]
    largest = max((abs(b) for _, b in numbers if b is not None and math.isfinite(b)), default=0)
    return [
        (a, b)
        for a, b, (x, y) in zip(found, wanted, numbers)
        if a != b
        and (x is None or y is None or not math.isclose(x, y, rel_tol=TOLERANCE, abs_tol=TOLERANCE * largest))
    ]


class VersionOne(ToolTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(FIXTURES, self.folder, dirs_exist_ok=True)

    def each(self, commands, look):
        """Runs the checks of these commands with every model, and looks at what they print."""
        count = 0
        for entry in ENTRIES:
            for model in entry["models"]:
                for check in entry["checks"]:
                    words = [model if word == "MODEL" else word for word in check["words"].split()]
                    if words[0] not in commands:
                        continue
                    count += 1
                    with self.subTest(" ".join(words)):
                        done = self.run_tool(*words, "--threads", 1, code=check["code"])
                        look(check, done.stdout)
        self.assertGreater(count, 0)

    def test_answers_stay_the_same(self):
        def look(check, answer):
            self.assertEqual(differences(answer, (FIXTURES / check["answer"]).read_text()), [])

        self.each(("predict", "convert"), look)

    def test_info_and_certificates_stay_the_same(self):
        def look(check, answer):
            report = json.loads(answer)
            self.assertEqual("verified" in report, "--verify" in check["words"])
            for name, value in check["figures"].items():
                found = report.get(name)
                if isinstance(value, float) and isinstance(found, float):
                    close = math.isclose(found, value, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
                    self.assertTrue(close, f"{name}: {found}, stored {value}")
                else:
                    self.assertEqual(found, value, name)

        self.each(("info",), look)

    def test_the_comparison_finds_what_differs(self):
        self.assertEqual(differences("a,1.5\nb,2\n", "a,1.5\nb,2.0000000000000004\n"), [])
        for other in ("a,1.5\nc,2\n", "a,1.5\nb,2.00000001\n", "a,1.5\nb,2,3\n", "a,1.5 b,2\n"):
            self.assertNotEqual(differences(other, "a,1.5\nb,2\n"), [], other)

    def test_every_model_is_in_the_manifest_and_of_version_one(self):
        listed = sorted(model for entry in ENTRIES for model in entry["models"])
        self.assertEqual(listed, sorted(path.name for path in FIXTURES.glob("*.mm")))
        for model in listed:
            start = (FIXTURES / model).read_bytes()[:18]
            is_text = start.startswith(b"maxmargin-model 1\n")
            self.assertEqual(is_text, not model.endswith(".bin.mm"), model)


if __name__ == "__main__":
    unittest.main()
