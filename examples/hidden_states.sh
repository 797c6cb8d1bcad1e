#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Hidden states with labels and without: docs/guide/hidden-states.md.
set -euo pipefail
maxmargin train builtin:weather --learner hmm -o weather.mm --verify
maxmargin predict weather.mm builtin:weather --decode posterior --probabilities -o days.conll
maxmargin eval builtin:weather days.conll --task hmm

maxmargin train builtin:weather --learner hmm --label none --states 3 --tolerance 1e-5 --seed 1 -o states.mm --verify
maxmargin predict states.mm builtin:weather -o states.conll
maxmargin eval builtin:weather states.conll --task hmm
