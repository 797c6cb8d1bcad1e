// SPDX-License-Identifier: Apache-2.0
#include "io/text/builtin_files.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "io/text/builtin_motifs.hpp"
#include "io/text/builtin_weather.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/suggest.hpp"
#include "maxmargin/io/table/builtin.hpp"

namespace maxmargin {

namespace {

constexpr std::string_view sentences = R"(the DT B-NP
old JJ I-NP
dog NN I-NP
fell VBD B-VP
. . O

dog NN B-NP
sees VBZ B-VP
a DT B-NP
tree NN I-NP
by IN B-PP
the DT B-NP
sea NN I-NP
. . O

the DT B-NP
small JJ I-NP
man NN I-NP
slept VBD B-VP
. . O

man NN B-NP
likes VBZ B-VP
a DT B-NP
ship NN I-NP
by IN B-PP
the DT B-NP
sea NN I-NP
. . O

the DT B-NP
green JJ I-NP
tree NN I-NP
sang VBD B-VP
. . O

tree NN B-NP
finds VBZ B-VP
a DT B-NP
child NN I-NP
by IN B-PP
the DT B-NP
sea NN I-NP
. . O

the DT B-NP
quiet JJ I-NP
ship NN I-NP
left VBD B-VP
. . O

ship NN B-NP
draws VBZ B-VP
a DT B-NP
bird NN I-NP
by IN B-PP
the DT B-NP
sea NN I-NP
. . O

the DT B-NP
old JJ I-NP
child NN I-NP
fell VBD B-VP
. . O

child NN B-NP
sees VBZ B-VP
a DT B-NP
dog NN I-NP
by IN B-PP
the DT B-NP
sea NN I-NP
. . O

the DT B-NP
small JJ I-NP
bird NN I-NP
slept VBD B-VP
. . O

bird NN B-NP
likes VBZ B-VP
a DT B-NP
man NN I-NP
by IN B-PP
the DT B-NP
sea NN I-NP
. . O
)";

constexpr std::string_view shelves = R"(document shelf 1
item book1 novel
item book2 atlas
item book3 novel
item book4 atlas
item book5 atlas
1 2 1:1 2:-1 3:-0.5
1 3 1:1 2:1 3:-0.7
1 4 1:1 2:-1 3:-0.2
1 5 1:1 2:-1 3:-0.6
2 3 1:1 2:-1 3:-0.8
2 4 1:1 2:1 3:-0.2
2 5 1:1 2:1 3:0.8
3 4 1:1 2:-1 3:0.5
3 5 1:1 2:-1 3:0.5
4 5 1:1 2:1 3:-0.5
document shelf 2
item book1 novel
item book2 novel
item book3 atlas
item book4 atlas
item book5 novel
1 2 1:1 2:1 3:0.1
1 3 1:1 2:-1 3:-0.4
1 4 1:1 2:-1 3:-0.6
1 5 1:1 2:1 3:-0.7
2 3 1:1 2:-1 3:-0.5
2 4 1:1 2:-1 3:0.8
2 5 1:1 2:1 3:0.6
3 4 1:1 2:1 3:0.6
3 5 1:1 2:-1 3:0.5
4 5 1:1 2:-1 3:-0.6
document shelf 3
item book1 novel
item book2 atlas
item book3 novel
item book4 atlas
item book5 atlas
1 2 1:1 2:-1 3:-0.3
1 3 1:1 2:1 3:0.2
1 4 1:1 2:-1 3:0.4
1 5 1:1 2:-1 3:0.6
2 3 1:1 2:-1 3:0.7
2 4 1:1 2:1 3:-0.7
2 5 1:1 2:1 3:0.2
3 4 1:1 2:-1 3:0.3
3 5 1:1 2:-1 3:0.1
4 5 1:1 2:1 3:-0.6
document shelf 4
item book1 novel
item book2 novel
item book3 atlas
item book4 atlas
item book5 novel
1 2 1:1 2:1 3:0.1
1 3 1:1 2:-1 3:-0.7
1 4 1:1 2:-1 3:0.8
1 5 1:1 2:1 3:0.7
2 3 1:1 2:-1 3:0.1
2 4 1:1 2:-1 3:-0.4
2 5 1:1 2:1 3:0.7
3 4 1:1 2:1 3:0.1
3 5 1:1 2:-1 3:0.7
4 5 1:1 2:-1 3:0.6
)";

constexpr std::string_view homologs = R"(>target1 family=1
HQQYLQRGILKCDCRKTV
>known1
HFH--QRMILKIDCEKTV
>target2 family=1
DLM-MLMFQYDLYHRLFKP
>known2
DLMAMLLFQYELYHRLFKP
>target3 family=2
TLQHSHIRQSCIQRIQHSHC
>known3
TLQQFHMR--CIQGIQMTHK
>target4 family=2
DKHCPYF-CGRWSPPHA
>known4
DKHCPPVKGGRSRPPHA
>target5 family=3
NDTALNDDVRPHLP
>known5
NDEAN-DRVHPSLG
>target6 family=3
FMSMKVAGAL--ESY
>known6
FMSNKVAGALRWERY
)";

constexpr std::array<BuiltinFile, 5> files = {
    {{"sentences", "words with parts of speech and chunks, for sequence", sentences},
     {"shelves", "books that fall into groups, features of pairs, for partition", shelves},
     {"homologs", "aligned pairs of short proteins, for align", homologs},
     {"motifs", "sequences of DNA, half of them with a planted motif, for motif", builtin_motifs},
     {"weather", "what somebody does each day, and the weather, for hmm", builtin_weather}}};

}  // namespace

std::span<const BuiltinFile> builtin_files() { return files; }

Input open_data_file(const std::string& where) {
  if (!is_builtin(where)) return Input::open(where);
  const std::string_view name = std::string_view(where).substr(where.find(':') + 1);
  const auto found = std::ranges::find(files, name, &BuiltinFile::name);
  if (found != files.end()) return Input::from_memory(where, std::string(found->text));
  std::vector<std::string_view> known;
  known.reserve(files.size());
  for (const BuiltinFile& file : files) known.push_back(file.name);
  throw InvalidArgument("built-in data set " + std::string(name) + " is no file of this kind" +
                        suggest_names(name, known));
}

}  // namespace maxmargin
