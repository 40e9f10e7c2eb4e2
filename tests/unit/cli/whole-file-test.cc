// SPDX-License-Identifier: GPL-2.0-only
#include "cli/whole-file.h"
#include "common/usage-error.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace nadi;
using namespace nadi::test;

namespace fs = std::filesystem;

namespace
{

std::string
ReadAll(const fs::path& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST_CASE("SaveWhole: the file has the new text, and nothing is left beside it", "[unit][cli]")
{
    const ScratchDirectory scratch("whole-file");
    const fs::path file = scratch.Write("f.json", "old");
    SaveWhole("new", file.string(), "--out");
    CHECK(ReadAll(file) == "new");
    CHECK(std::distance(fs::directory_iterator(scratch.Path()), {}) == 1);
}

TEST_CASE("SaveWhole: a link goes on to lead to its file", "[unit][cli]")
{
    const ScratchDirectory scratch("whole-file-link");
    const fs::path file = scratch.Write("f.json", "old");
    const fs::path link = scratch.Path() / "link.json";
    fs::create_symlink("f.json", link);
    SaveWhole("new", link.string(), "--out");
    CHECK(fs::is_symlink(link));
    CHECK(ReadAll(file) == "new");
}

TEST_CASE("SaveWhole: what is no file stays what it is, and gets the text", "[unit][cli]")
{
    const ScratchDirectory scratch("whole-file-pipe");
    const fs::path pipe = scratch.Path() / "pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const int reader = open(pipe.c_str(), O_RDWR | O_NONBLOCK); // else the writer would wait
    REQUIRE(reader >= 0);
    SaveWhole("new", pipe.string(), "--out");
    std::array<char, 8> text{};
    CHECK(read(reader, text.data(), text.size()) == 3);
    close(reader);
    CHECK(std::string(text.data()) == "new");
    CHECK(fs::is_fifo(pipe));
}

TEST_CASE("SaveWhole: a path that cannot be written is named with its option", "[unit][cli]")
{
    const ScratchDirectory scratch("whole-file-error");
    CHECK_THROWS_AS(SaveWhole("new", (scratch.Path() / "none/f").string(), "--out"), UsageError);
    CHECK_THROWS_WITH(SaveWhole("new", scratch.Path().string(), "--out"),
                      "cannot write \"" + scratch.Path().string() +
                          "\"; name another file with "
                          "--out");
}
