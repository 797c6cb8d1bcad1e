# SPDX-License-Identifier: Apache-2.0
"""Golden help pages. After a wanted change: MAXMARGIN_UPDATE_GOLDEN=1 python3 -m unittest ..."""

import json
import os
import re

from tool import HERE, ToolTest

COMMANDS = "train tune cluster predict eval info solve convert plot demo completion".split()


class Help(ToolTest):
    maxDiff = None

    def check(self, name, text):
        golden = HERE / "golden" / f"{name}.txt"
        if os.environ.get("MAXMARGIN_UPDATE_GOLDEN"):
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(text)
        self.assertEqual(text, golden.read_text())

    def test_top_level_help(self):
        self.check("help", self.run_tool("--help").stdout)

    def test_help_of_every_command(self):
        for command in COMMANDS:
            with self.subTest(command):
                self.check(f"help-{command}", self.run_tool(command, "--help").stdout)

    def test_every_command_has_a_golden_page(self):
        listed = self.run_tool("help").stdout.split("Commands:\n")[1].split("\n\n")[0]
        found = [line.split()[0] for line in listed.splitlines() if re.match(r"  \S", line)]
        self.assertEqual(found, COMMANDS + ["help", "version"])

    def test_without_words_the_short_help_comes(self):
        page = self.run_tool("--help").stdout
        for words in ([], ["help"]):
            self.assertEqual(self.run_tool(*words).stdout, page)

    def test_version(self):
        self.assertRegex(self.run_tool("--version").stdout, r"^maxmargin \d+\.\d+\.\d+\n$")
        self.assertEqual(self.run_tool("version").stdout, self.run_tool("--version").stdout)

    def learners_of(self, command):
        """Names that the help of a command lists."""
        page = self.run_tool(command, "--help").stdout
        listed = re.search(r"\n(?:Learners|Methods):\n(.*?)\n\n", page, re.DOTALL).group(1)
        return [line.split()[0] for line in listed.splitlines() if re.match(r"  \S", line)]

    def test_help_of_a_learner_shows_its_options_alone(self):
        of_svc = self.run_tool("train", "--learner", "svc", "--help").stdout
        self.assertIn("--kernel", of_svc)
        self.assertNotIn("--shrinkage", of_svc)
        self.assertEqual(self.run_tool("help", "train", "svc").stdout, of_svc)
        of_lda = self.run_tool("train", "--help", "--learner=lda").stdout
        self.assertIn("--shrinkage", of_lda)
        self.assertNotIn("--kernel", of_lda)
        self.assertIn("[100]", self.run_tool("help", "cluster", "mmc").stdout)

    def test_help_is_wrapped(self):
        pages = [("help",)] + [("help", command) for command in COMMANDS]
        for command in ("train", "cluster"):
            pages += [("help", command, name) for name in self.learners_of(command)]
        self.assertGreater(len(pages), 50)
        for words in pages:
            longest = max(self.run_tool(*words).stdout.splitlines(), key=len)
            # An example is a line to copy.
            if "maxmargin " not in longest:
                self.assertLessEqual(len(longest), 80, (words, longest))

    def test_the_page_of_options_is_current(self):
        page = HERE.parent.parent / "docs/guide/options.md"
        text = self.run_tool("help", "options").stdout
        if os.environ.get("MAXMARGIN_UPDATE_GOLDEN"):
            page.write_text(text)
        self.assertEqual(text, page.read_text())

    def test_wrong_usage_exits_1_and_points_at_help(self):
        for words in (
            ["nonsense"],
            ["cluster"],
            ["cluster", "builtin:iris", "--no-such-option"],
            ["completion", "tcsh"],
            ["help", "trian"],
            ["train", "builtin:iris", "--learner", "svc", "-C", "-1", "-o", "x.mm"],
            ["cluster", "builtin:iris", "-k", "three"],
            ["cluster", "builtin:iris", "-k", "0"],
            ["cluster", "builtin:iris", "-k", "3", "--method", "kmean"],
            ["cluster", "builtin:iris", "-k", "3", "--threads", "0"],
            ["cluster", "builtin:iris", "-k", "3", "--time-limit", "-1"],
            ["eval", "builtin:iris", "builtin:iris", "--metric", "acuracy"],
        ):
            with self.subTest(words):
                done = self.run_tool(*words, code=1)
                self.assertIn("--help", done.stderr)
                self.assertEqual(done.stdout, "")

    def test_suggests_the_nearest_name(self):
        done = self.run_tool("cluster", "builtin:iris", "-k", 3, "--method", "kmean", code=1)
        self.assertIn("kmeans?", done.stderr)
        done = self.run_tool("trian", code=1)
        self.assertIn("train?", done.stderr)
        done = self.run_tool("train", "builtin:iris", "--learner", "svc", "--gama", 1, code=1)
        self.assertIn("--gamma?", done.stderr)
        self.assertIn("maxmargin train --learner svc --help", done.stderr)

    def test_values_may_stand_behind_an_equals_sign(self):
        words = ("train", "builtin:iris", "--learner", "svc", "--json", "-", "-o", "m.mm")
        reports = [self.run_tool(*words, *option).stdout for option in (["-C=10"], ["-C", 10], ["-C10"])]
        options = [json.loads(report)["options"] for report in reports]
        self.assertEqual(options[0]["C"], 10)
        self.assertEqual(options[1:], options[:1] * 2)


class Completion(ToolTest):
    def test_scripts_name_every_command(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.run_tool("completion", shell).stdout
            for command in COMMANDS:
                self.assertIn(command, script)
            for value in ("kernel-kmeans", "squared-hinge", "chi-square"):
                self.assertIn(value, script)
