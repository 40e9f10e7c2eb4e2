# SPDX-License-Identifier: GPL-2.0-only
# Writes OUTPUT, the source that tells the program which sources it was built from: VERSION and,
# where SOURCE_DIR is a git checkout, the commit ("0.1.0+g1a2b3c4", "-dirty" with changes that are
# not committed). Run by every build; the file is touched only when its text changes.
#
# cmake -DGIT=... -DSOURCE_DIR=... -DVERSION=... -DOUTPUT=... -P WriteSourceVersion.cmake

# ask_git(<result> <argument>...): what git answers, empty where it cannot.
function(ask_git result)
  set(answer "")
  if(GIT)
    execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} --no-optional-locks ${ARGN}
      OUTPUT_VARIABLE answer ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  set(${result} "${answer}" PARENT_SCOPE)
endfunction()

# A tarball that was unpacked inside of another project's checkout has no commit of its own.
ask_git(top rev-parse --show-toplevel)
file(REAL_PATH ${SOURCE_DIR} here)
if(top STREQUAL here)
  ask_git(commit rev-parse --short=7 HEAD)
endif()
if(commit)
  string(APPEND VERSION "+g${commit}")
  ask_git(changes status --porcelain --untracked-files=no)
  if(changes)
    string(APPEND VERSION "-dirty")
  endif()
endif()

file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
// Written by scripts/cmake/WriteSourceVersion.cmake.
#include "cli/source-version.h"

namespace nadi
{

const char* const SOURCE_VERSION = "@VERSION@";

} // namespace nadi
]])
