// SPDX-License-Identifier: GPL-2.0-only
#pragma once

namespace nadi
{

/// Which sources the program was built from: "0.1.0+g1a2b3c4" is version 0.1.0 with the changes up
/// to commit 1a2b3c4; "-dirty" follows where there were others that nobody had committed, and the
/// version stands alone where there was no git. Every build writes the file that defines it
/// (scripts/cmake/WriteSourceVersion.cmake). Only `main` names it, so that a commit makes nothing
/// else link again.
extern const char* const SOURCE_VERSION;

} // namespace nadi
