# SPDX-License-Identifier: Apache-2.0
# Sorts source files into batches that compile as one: prints "BATCH FILE" for each.
#   awk -v size=8 -v look_back=16 -v roots="FOLDER|..." -f unity_batches.awk FILE...
#
# Files of a batch share one anonymous namespace and see each other's headers. So a file comes to a
# batch only when
# - no name that it keeps to itself (anonymous namespace, static, macro) appears there in any meaning,
#   nor is declared by a header that the batch includes,
# - no name that its headers declare in a namespace inside maxmargin is used there by a file without
#   that declaration, for which it could hide another of that name,
# and the other way round. Nothing clashes then, and nothing means something else than in a build of
# single files. Each file goes to the first of the last look_back batches that fits. Headers are looked
# for beside the file and in the folders of roots.

# The name that a line of a namespace declares, or "". The sources are formatted: a declaration begins
# in the first column, what belongs to it does not.
function declared(line) {
  gsub(/\[\[[a-z_]*\]\] */, "", line)
  sub(/^template <.*> /, "", line)
  if (line ~ /^(template|namespace|using namespace|friend|extern|public|private|protected)/) return ""
  if (match(line, /^(struct|class|enum class|enum struct|enum|union) (MAXMARGIN_EXPORT )?[A-Za-z_0-9]+/)) {
    line = substr(line, 1, RLENGTH)
  } else if (match(line, /^using [A-Za-z_0-9]+ =/)) {
    line = substr(line, 1, RLENGTH - 2)
  } else if (match(line, /[({=;[]/)) {
    line = substr(line, 1, RSTART - 1)
    sub(/ +$/, "", line)
  } else {
    return ""
  }
  if (!match(line, /[A-Za-z_][A-Za-z_0-9]*$/)) return ""
  return substr(line, RSTART)
}

# Reads a header once: what it includes, the names it declares, and which of them in inner namespaces.
function scan(header,   line, status, name, depth, inner, n) {
  if (header in header_exists) return header_exists[header]
  header_exists[header] = 0
  while ((status = (getline line < header)) > 0) {
    header_exists[header] = 1
    if (line ~ /^#include "/) {
      split(line, parts, "\"")
      header_includes[header, ++include_count[header]] = parts[2]
    } else if (line ~ /^namespace [A-Za-z_:]* *\{/) {
      ++depth
      if (depth > 1 || line !~ /^namespace maxmargin \{/) inner[depth] = 1
    } else if (line ~ /^}  \/\/ namespace/) {
      delete inner[depth--]
    } else if (depth > 0 && line ~ /^[A-Za-z_[]/) {
      name = declared(line)
      if (name != "") {
        header_names[header, ++name_count[header]] = name
        if (depth in inner) header_inner[header, name] = 1
      }
    }
  }
  close(header)
  return header_exists[header]
}

# Notes for a source the names that an included header brings, with those it includes.
function include(file, from, header,   folder, path, i, name, found) {
  folder = from
  sub(/[^\/]*$/, "", folder)
  path = folder header
  found = scan(path)
  for (i = 1; i <= root_count && !found; ++i) {
    path = root[i] "/" header
    found = scan(path)
  }
  if (!found || (file, path) in included) return
  included[file, path] = 1
  for (i = 1; i <= name_count[path]; ++i) {
    name = header_names[path, i]
    declares[file, ++declared_count[file]] = name
    if ((path, name) in header_inner && !((file, name) in brings)) {
      brings[file, name] = 1
      brought[file, ++brought_count[file]] = name
    }
  }
  for (i = 1; i <= include_count[path]; ++i) include(file, path, header_includes[path, i])
}

BEGIN { root_count = split(roots, root, "|") }
FNR == 1 { file = FILENAME; files[++count] = file; inside = 0 }
/^#include "/ {
  split($0, quoted, "\"")
  include(file, file, quoted[2])
  next
}
/^#include/ { next }
/^namespace \{/ { inside = 1; next }
/^}  \/\/ namespace$/ { inside = 0; next }
{
  line = $0
  gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
  sub(/\/\/.*/, "", line)
}
/^#define / { name = $2; sub(/\(.*/, "", name); own[file, ++own_count[file]] = name }
(inside && line ~ /^[A-Za-z_[]/) || line ~ /^static / {
  name = declared(line)
  if (name != "") own[file, ++own_count[file]] = name
}
{
  while (match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
    word = substr(line, RSTART, RLENGTH)
    line = substr(line, RSTART + RLENGTH)
    if (!((file, word) in seen)) {
      seen[file, word] = 1
      words[file, ++word_count[file]] = word
    }
  }
}

function fits(file, batch,   i, word) {
  if (members[batch] >= size) return 0
  for (i = 1; i <= own_count[file]; ++i) {
    if ((batch, own[file, i]) in used || (batch, own[file, i]) in batch_declares) return 0
  }
  for (i = 1; i <= declared_count[file]; ++i) if ((batch, declares[file, i]) in kept) return 0
  for (i = 1; i <= brought_count[file]; ++i) if ((batch, brought[file, i]) in used_without) return 0
  for (i = 1; i <= word_count[file]; ++i) {
    word = words[file, i]
    if ((batch, word) in kept) return 0
    if ((batch, word) in batch_brings && !((file, word) in brings)) return 0
  }
  return 1
}

END {
  batches = 0
  for (f = 1; f <= count; ++f) {
    file = files[f]
    place = 0
    for (b = (batches > look_back ? batches - look_back + 1 : 1); b <= batches && !place; ++b) {
      if (fits(file, b)) place = b
    }
    if (!place) place = ++batches
    ++members[place]
    for (i = 1; i <= own_count[file]; ++i) kept[place, own[file, i]] = 1
    for (i = 1; i <= declared_count[file]; ++i) batch_declares[place, declares[file, i]] = 1
    for (i = 1; i <= brought_count[file]; ++i) batch_brings[place, brought[file, i]] = 1
    for (i = 1; i <= word_count[file]; ++i) {
      used[place, words[file, i]] = 1
      if (!((file, words[file, i]) in brings)) used_without[place, words[file, i]] = 1
    }
    print place, file
  }
}
