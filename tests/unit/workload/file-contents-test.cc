// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "tests/support/scratch-directory.h"
#include "workload/trace/file-contents.h"

#include <catch2/catch.hpp>

#include <sys/stat.h>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("ReadFileContents: a pipe without a writer, and a device, are refused at once",
          "[unit][workload]")
{
    const ScratchDirectory scratch("file-contents");
    const auto pipe = scratch.Path() / "pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const std::string problem = ": is a pipe or a device; write its contents to a file";
    CHECK_THROWS_WITH(ReadFileContents(pipe), pipe.string() + problem);
    CHECK_THROWS_WITH(ReadFileContents("/dev/zero"), "/dev/zero" + problem);
}
