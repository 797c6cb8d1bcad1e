# SPDX-License-Identifier: Apache-2.0
"""Models of format version 1 keep their meaning.

tests/fixtures/v1 holds models of every kind, and what the tool that wrote them did with them;
tools/write_v1_fixtures.py has made it. The files stay as they are.
"""

import json
import math
import shutil
import unittest

from tool import HERE, ToolTest

FIXTURES = HERE.parent / "fixtures" / "v1"
ENTRIES = json.loads((FIXTURES / "manifest.json").read_text())
#: Numbers of a report may differ by rounding.
TOLERANCE = 1e-12


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
            self.assertEqual(answer, (FIXTURES / check["answer"]).read_text())

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

    def test_every_model_is_in_the_manifest_and_of_version_one(self):
        listed = sorted(model for entry in ENTRIES for model in entry["models"])
        self.assertEqual(listed, sorted(path.name for path in FIXTURES.glob("*.mm")))
        for model in listed:
            start = (FIXTURES / model).read_bytes()[:18]
            is_text = start.startswith(b"maxmargin-model 1\n")
            self.assertEqual(is_text, not model.endswith(".bin.mm"), model)


if __name__ == "__main__":
    unittest.main()
