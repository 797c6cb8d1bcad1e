#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the man page of the tool, made from its own help: of the tool, then of each command.
#   man_page.sh TOOL VERSION
set -eu
tool=$1
version=$2

# A line of two columns becomes a tagged paragraph; any other of a list stays as it is.
to_roff() {
  awk -v heading="$1" '
    function roff(text) {
      gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text)
      sub(/^[.\x27]/, "\\\\\\&&", text)
      return text
    }
    function plain(on) {
      if (on != literal) print (on ? ".nf" : ".fi")
      literal = on
    }
    NR == 1 && heading == "" { next }  # the name and what it is for: the section NAME has it
    NR == 1 { print roff($0); next }
    /^Usage: / { plain(0); print ".PP"; print ".B " roff(substr($0, 8)); next }
    /^$/ { plain(0); print ".PP"; next }
    /^[^ ].*:$/ {
      plain(0)
      title = roff(substr($0, 1, length($0) - 1))
      print (heading == "" ? ".SH \"" toupper(title) : ".SS \"" title) "\""
      next
    }
    match($0, /^  [^ ]( ?[^ ])*  +[^ ]/) {
      plain(0)
      term = substr($0, 3, RLENGTH - 3); sub(/ +$/, "", term)
      print ".TP"; print ".B " roff(term); print roff(substr($0, RLENGTH))
      next
    }
    /^ / { if (!literal) print ".PP"; plain(1); print roff($0); next }
    { plain(0); print roff($0) }
    END { plain(0) }'
}

# Pages that several commands share; that of all options is too long for a man page.
pages='data metrics libsvm'

help=$("$tool" --help)
summary=$(printf '%s\n' "$help" | sed -n '1s/^[^:]*: //p')
cat <<END
.\\" Made from the help of maxmargin $version.
.TH MAXMARGIN 1 "" "maxmargin $version" "User Commands"
.SH NAME
maxmargin \\- $(printf '%s' "$summary" | sed 's/-/\\-/g')
.SH SYNOPSIS
END
printf '%s\n' "$help" | to_roff ""
printf '%s\n' "$help" | awk '/^(Subc|C)ommands:/ { inside = 1; next } /^[^ ]/ { inside = 0 }
  inside && /^  [a-z]/ { print $1 }' | while read -r command; do
  printf '.SH "COMMAND %s"\n' "$(printf '%s' "$command" | tr '[:lower:]' '[:upper:]')"
  "$tool" "$command" --help </dev/null | to_roff "$command"
done
for page in $pages; do
  printf '.SH "PAGE %s"\n' "$(printf '%s' "$page" | tr '[:lower:]' '[:upper:]')"
  "$tool" help "$page" </dev/null | to_roff "$page"
done
