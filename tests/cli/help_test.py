# SPDX-License-Identifier: Apache-2.0
"""Golden help pages. After a wanted change: MAXMARGIN_UPDATE_GOLDEN=1 python3 -m unittest ..."""

import os

from tool import HERE, ToolTest

COMMANDS = ["train", "tune", "cluster", "predict", "eval", "info", "convert", "plot", "solve", "demo", "completion"]


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
        listed = self.run_tool("completion", "bash").stdout
        for line in listed.splitlines():
            if "options='" in line:
                self.assertIn(line.split(")")[0].strip(), COMMANDS)

    def test_version(self):
        self.assertRegex(self.run_tool("--version").stdout, r"^maxmargin \d+\.\d+\.\d+\n$")

    def test_wrong_usage_exits_1_and_points_at_help(self):
        for words in (
            [],
            ["nonsense"],
            ["cluster"],
            ["cluster", "builtin:iris", "--no-such-option"],
            ["completion", "fish"],
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


class Completion(ToolTest):
    def test_scripts_name_every_command(self):
        for shell in ("bash", "zsh"):
            script = self.run_tool("completion", shell).stdout
            for command in COMMANDS:
                self.assertIn(command, script)
