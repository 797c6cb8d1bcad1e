#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Who is who in a text: the learner coreference beside partition (docs/guide/partitions.md).
set -euo pipefail

# A sentence a line, a mention as word=entity, an empty line behind every story. As columns of
# CoNLL-2012: document, part, place, word, seven of no use here, brackets of entities.
stories() {
  awk -v name="$1" '
    function open() { if (!is_open) printf "#begin document (%s%d); part 000\n", name, ++story; is_open = 1 }
    function shut() { if (is_open) print "#end document"; is_open = 0 }
    NF == 0 { shut(); next }
    { open()
      for (k = 1; k <= NF; ++k) {
        split($k, part, "=")
        entity = part[2] == "" ? "-" : "(" part[2] ")"
        printf "%s\t0\t%d\t%s\t-\t-\t-\t-\t-\t-\t-\t%s\n", name story, k - 1, part[1], entity
      }
      print "" }
    END { shut() }'
}
stories train > train.conll <<'END'
Anna=1 met Paul=2 .
She=1 gave him=2 a book=3 .
Paul=2 read it=3 .
He=2 liked it=3 .

Peter=1 saw Clara=2 .
He=1 asked her=2 .
Clara=2 laughed .
She=2 left him=1 .

Vera=1 had a house=2 .
She=1 sold it=2 to Henry=3 .
He=3 thanked her=1 .
Henry=3 painted it=2 .

Paul=1 called Vera=2 .
She=2 knew him=1 .
Vera=2 smiled .
He=1 did not .
END
stories test > test.conll <<'END'
Clara=1 met Henry=2 .
She=1 gave him=2 a letter=3 .
Henry=2 read it=3 .
Clara=1 watched him=2 .
END

# Which links hold the mentions of a person together is found in training; all argmaxes are exact,
# so the objective can be computed anew from the model.
maxmargin train train.conll --learner coreference -C 1 -o forests.mm --verify
maxmargin predict forests.mm test.conll -o forests.conll
maxmargin eval test.conll forests.conll --task coreference

# A wrong link that costs less than a missing one pays for recall.
maxmargin train train.conll --learner coreference -C 1 --wrong-link 0.1 -o recall.mm

# All pairs of a cluster have a say: correlation clustering, and forests that begin with its answer.
maxmargin train train.conll --learner partition -C 10 -o pairs.mm
maxmargin train train.conll --learner coreference -C 1 --start weights --start-model pairs.mm -o again.mm
