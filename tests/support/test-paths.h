// SPDX-License-Identifier: GPL-2.0-only
#pragma once

namespace nadi
{

/// Where a test finds its files. Known to one source a test program (test-paths.cc.in), so that the
/// other sources compile alike in every folder.
extern const char* const SOURCE_DIR;   ///< the top of the project
extern const char* const TEST_DATA;    ///< tests/data
extern const char* const TEST_SCRATCH; ///< a folder for this program's files; may be absent
extern const char* const
    NADI_BINARY; ///< the simulator, or the program that NADI_TEST_PROGRAM names

} // namespace nadi
