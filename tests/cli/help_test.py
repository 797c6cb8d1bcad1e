# SPDX-License-Identifier: Apache-2.0
"""Golden help pages. After a wanted change: MAXMARGIN_UPDATE_GOLDEN=1 python3 -m unittest ..."""

import fcntl
import json
import os
import pty
import re
import shlex
import struct
import subprocess
import termios

from tool import HERE, TOOL, ToolTest

COMMANDS = "train tune cluster predict eval info solve convert plot demo completion".split()
PAGES = "data metrics libsvm options".split()


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

    def test_pages_of_help(self):
        for page in PAGES[:-1]:
            with self.subTest(page):
                self.check(f"help-page-{page}", self.run_tool("help", page).stdout)
        self.assertIn("\n  macro_f1 ", self.run_tool("help", "metrics").stdout)
        data = self.run_tool("help", "data").stdout
        for words in ("\n  builtin:moons ", "\n  --label COLUMN ", "\n  --columns NAME,..."):
            self.assertIn(words, data)
        self.assertIn("metrics?", self.run_tool("help", "metric", code=1).stderr)

    def listed_names(self, title):
        listed = self.run_tool("help").stdout.split(f"{title}:\n")[1].split("\n\n")[0]
        return [line.strip().split("  ")[0] for line in listed.splitlines() if re.match(r"  \S", line)]

    def test_every_command_and_page_is_listed(self):
        self.assertEqual(self.listed_names("Commands"), COMMANDS + ["help", "version"])
        self.assertEqual(self.listed_names("Pages"), [f"help {page}" for page in PAGES])

    def test_help_of_a_command_with_learners_is_short(self):
        for command in ("train", "tune", "cluster"):
            page = self.run_tool(command, "--help").stdout
            self.assertNotIn("macro_f1", page)
            self.assertNotIn("builtin:moons", page)
            self.assertRegex(page, rf"\nThe options of one: maxmargin {command} --\w+ NAME --help\n")
            listed = re.search(r"\n(?:Learners|Methods):\n(.*?)\n\n", page, re.DOTALL).group(1)
            for line in listed.splitlines():
                self.assertRegex(line, r"^  [a-z0-9-]+  +\S", "one line for each")
            self.assertLessEqual(len(page.splitlines()) - len(listed.splitlines()), 40, command)

    def test_without_words_the_short_help_comes(self):
        page = self.run_tool("--help").stdout
        for words in ([], ["help"], ["help", "--help"], ["-h"]):
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
        pages = [("help",)] + [("help", name) for name in COMMANDS + PAGES[:-1]]
        for command in ("train", "cluster"):
            pages += [("help", command, name) for name in self.learners_of(command)]
        self.assertGreater(len(pages), 50)
        for words in pages:
            longest = max(self.run_tool(*words).stdout.splitlines(), key=len)
            # An example is a line to copy.
            if "maxmargin " not in longest:
                self.assertLessEqual(len(longest), 80, (words, longest))

    def width_of(self, columns, *words):
        """Of the longest line, in a terminal that is so wide."""
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        shown = []
        with subprocess.Popen([TOOL, *words], stdout=side, cwd=self.folder) as tool:
            os.close(side)
            while True:
                try:
                    part = os.read(main, 65536)
                except OSError:
                    break
                if not part:
                    break
                shown.append(part)
        os.close(main)
        self.assertEqual(tool.returncode, 0)
        lines = b"".join(shown).decode().splitlines()
        return max(len(line) for line in lines if "maxmargin " not in line)

    def test_help_keeps_to_the_width_of_the_terminal(self):
        pages = [("help",)] + [("help", name) for name in COMMANDS + PAGES[:-1]]
        for command in ("train", "cluster"):
            pages += [("help", command, name) for name in self.learners_of(command)]
        for words in pages:
            self.assertLessEqual(self.width_of(60, *words), 60, words)

    def test_help_shows_what_the_learner_takes(self):
        for learner, flags in (("svc", ["--folds", "--metric"]), ("rank", ["--folds", "--metric"]),
                               ("outlier-svc", ["--folds", "--metric", "--weights-output"])):  # fmt: skip
            page = self.run_tool("help", "train", learner).stdout
            shown = [flag for flag in ("--folds", "--metric", "--weights-output") if f"\n  {flag} " in page]
            self.assertEqual(shown, flags, learner)
        for words in (["rank", "--weights-output", "w"], ["svc", "--weights-output", "w"]):
            done = self.run_tool("train", "x", "--learner", *words, "-o", "m.mm", code=1)
            self.assertIn(f"{words[1]}: the learner {words[0]} does not take it", done.stderr)

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
        for word, nearest in (("hepl", "help?"), ("verson", "version?"), ("--versoin", "--version?")):
            self.assertIn(nearest, self.run_tool(word, code=1).stderr)

    def test_words_that_begin_like_negative_numbers_are_values(self):
        self.write("d.csv", "x,label\n" + "".join(f"{i},{1 if i % 2 else -1}\n" for i in range(20)))
        words = ("train", "d.csv", "--learner", "svc", "--class-weight")
        for value in ("-1=2,1=3", "-1=.5"):
            report = self.json_of(*words, value, "-o", "m.mm")
            self.assertEqual(report["options"]["class_weight"].replace("0.5", ".5"), value)
        for value in ("-.5", "-inf", "-nan", "-1e-3"):
            done = self.run_tool("train", "d.csv", "--learner", "svc", "-C", value, code=1)
            self.assertIn(f"-C {value}: must be", done.stderr)
        done = self.run_tool("train", "x", "--learner", "align", "--gap-costs", "-1,-2", code=1)
        self.assertNotIn("missing: its", done.stderr)
        self.assertNotIn("its value is missing", done.stderr)

    def test_one_dash_before_a_long_option_is_a_slip(self):
        for words in (["-gamma", 0.1], ["-gamma=0.1"], ["-kernel", "linear"], ["-output", "x.mm"]):
            done = self.run_tool("train", "builtin:iris", "--learner", "svc", *words, code=1)
            flag = "-" + str(words[0]).split("=")[0]
            self.assertIn(f"did you mean {flag}?", done.stderr)
        done = self.run_tool("predict", "m.mm", "builtin:iris", "-C", 2, code=1)
        self.assertNotIn("did you mean", done.stderr)

    def test_a_missing_name_of_a_learner_is_said_to_be_missing(self):
        done = self.run_tool("train", "builtin:iris", "--learner", "-o", "x.mm", code=1)
        self.assertIn("--learner: its value is missing", done.stderr)

    def test_values_may_stand_behind_an_equals_sign(self):
        words = ("train", "builtin:iris", "--learner", "svc", "--json", "-", "-o", "m.mm")
        reports = [self.run_tool(*words, *option).stdout for option in (["-C=10"], ["-C", 10], ["-C10"])]
        options = [json.loads(report)["options"] for report in reports]
        self.assertEqual(options[0]["C"], 10)
        self.assertEqual(options[1:], options[:1] * 2)


class Hints(ToolTest):
    def test_every_wrong_usage_points_at_the_help_of_its_command(self):
        train = ["train", "builtin:iris", "--learner", "svc"]
        for words, topic in (
            ([*train, "-o", "m.mm", "--json", "m.mm"], "train --learner svc"),
            (["cluster", "builtin:iris", "--compare", "kmeans,,mixture"], "cluster"),
            (["train", "--libsvm", "-z", "1", "x"], "train"),
            (["train", "--libsvm", "-c", "1"], "train"),
        ):
            done = self.run_tool(*words, code=1)
            self.assertIn(f"\nTry maxmargin {topic} --help.\n", done.stderr, words)


class Completion(ToolTest):
    def completed(self, line):
        """What bash offers at the end of the line, whose words it breaks as readline does."""
        script = self.run_tool("completion", "bash").stdout
        words = re.findall(r"[=:]|[^\s=:]+", line)
        if not words or line[-1] in " =:":
            words.append("")
        if words[-2:] in (["=", ""], [":", ""]):  # bash asks at the sign itself
            words.pop()
        script += f"cd {shlex.quote(str(self.folder))}\n"
        script += "COMP_WORDS=(" + " ".join(map(shlex.quote, words)) + f"); COMP_CWORD={len(words) - 1}\n"
        script += f"COMP_LINE={shlex.quote(line)}; COMP_POINT={len(line)}\n"
        script += f"_maxmargin {shlex.quote(TOOL)}; printf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
        done = subprocess.run(["bash"], input=script, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def offered(self, *words):
        """What the tool offers to the scripts of all shells, without the help."""
        lines = self.run_tool("complete", "--", *words).stdout.splitlines()
        return [line.split("\t")[0] for line in lines]

    def test_bash_completes_commands_options_and_values(self):
        self.assertEqual(self.completed("maxmargin tr"), ["train"])
        self.assertEqual(self.completed("maxmargin help me"), ["metrics"])
        self.assertEqual(self.completed("maxmargin completion "), ["bash", "zsh", "fish"])
        train = "maxmargin train x.csv "
        self.assertEqual(self.completed(train + "--ker"), ["--kernel"])
        self.assertEqual(self.completed(train + "--kernel r"), ["rbf"])
        self.assertEqual(self.completed(train + "--kernel=r"), ["rbf"])
        self.assertIn("linear", self.completed(train + "--kernel="))
        self.assertEqual(self.completed(train + "--learner nu-"), ["nu-svc", "nu-svr"])
        self.assertEqual(self.completed("maxmargin cluster --method km"), ["kmeans", "kmedoids"])
        self.assertEqual(self.completed("maxmargin info builtin:iri"), ["iris"])

    def test_bash_completes_names_of_files(self):
        self.write("some data.csv", "1,2\n")
        self.write("model.mm", "")
        script = "maxmargin predict "
        self.assertEqual(self.completed(script + "mod"), ["model.mm"])
        self.assertEqual(self.completed(script + "some"), ["some", "data.csv"])
        self.assertEqual(self.completed(script + "model.mm x --output=mo"), ["model.mm"])

    def test_the_chosen_learner_decides(self):
        self.assertEqual(self.offered("train", "--learner", "svc", "--shrink"), [])
        self.assertEqual(self.offered("train", "--learner", "lda", "--shrink"), ["--shrinkage"])
        self.assertEqual(self.offered("train", "--learner=lda", "--kern"), [])
        self.assertEqual(self.offered("train", "--shrink"), ["--shrinkage"])
        self.assertEqual(self.offered("train", "--learner", "rank", "--fol"), ["--folds"])
        self.assertEqual(self.offered("train", "--learner", "rank", "--weights-o"), [])

    def test_values_are_offered(self):
        self.assertIn("macro_f1", self.offered("tune", "x", "--metric", ""))
        self.assertIn("macro_f1", self.offered("train", "x", "--folds", "3", "--metric", "m"))
        self.assertEqual(self.offered("eval", "a", "b", "--metric", "ari,nm"), ["ari,nmi"])
        self.assertEqual(self.offered("tune", "x", "--search", ""), ["grid", "halving", "random:"])
        self.assertEqual(
            self.offered("cluster", "x", "--compare", "kmeans,kmed"), ["kmeans,kmedoids"]
        )
        self.assertEqual(
            self.offered("train", "x", "--learner", "svc", "--scale", ""),
            ["none", "range", "range:", "standard"],
        )
        self.assertIn("median", self.offered("train", "--learner", "svc", "--gamma", ""))
        self.assertIn("svmlight", self.offered("train", "--learner", "svc", "--format", ""))
        self.assertIn("svc", self.offered("help", "train", ""))
        self.assertIn("kmeans", self.offered("help", "cluster", "k"))
        self.assertIn("builtin:iris", self.offered("cluster", "builtin:"))
        self.assertEqual(self.offered("info", "m.mm", "--verify", "buil"), [":files", "builtin:"])
        self.assertEqual(self.offered("train", "x", "-o", ""), [":files"])
        self.assertEqual(self.offered("cluster", "x", "--method", "kmeans", "-k", ""), ["auto"])
        self.assertEqual(self.offered("train", "x", "--learner", "nu-svc", "--nu", ""), [])

    def test_a_value_behind_an_equals_sign_alone_is_not_asked_for(self):
        words = ("train", "x", "--learner", "svc")
        flags = ["--probabilities", "--probabilities=platt", "--probabilities=isotonic"]
        self.assertEqual(self.offered(*words, "--prob"), flags)
        self.assertNotIn("isotonic", self.offered(*words, "--probabilities", ""))
        self.assertIn("--output", self.offered(*words, "--probabilities", "--out"))
        self.assertEqual(self.offered(*words, "-o"), ["-o"])

    def test_broken_lines_offer_nothing(self):
        for words in ([], [""], ["nonsense", ""], ["train", "--learner"], ["train", "--learner", "x", ""]):
            self.run_tool("complete", "--", *words)
        self.assertEqual(self.run_tool("complete").stdout, "")

    def test_scripts_ask_the_tool(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.run_tool("completion", shell).stdout
            self.assertIn(" complete -- ", script)
            self.assertLess(len(script.splitlines()), 40)
