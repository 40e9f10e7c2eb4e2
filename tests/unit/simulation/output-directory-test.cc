// SPDX-License-Identifier: GPL-2.0-only
#include "common/usage-error.h"
#include "simulation/results/output-directory.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <unistd.h>

using namespace nadi;
using namespace nadi::test;

namespace fs = std::filesystem;

namespace
{

size_t
CountEntries(const fs::path& path)
{
    return static_cast<size_t>(std::distance(fs::directory_iterator(path), {}));
}

} // namespace

TEST_CASE("OutputDirectory: appears with all its files, or not at all", "[unit][simulation]")
{
    const ScratchDirectory scratch("output-new");
    const fs::path path = scratch.Path() / "a" / "b";
    {
        OutputDirectory directory(path, MayReplace::EarlierResult);
        directory.Write("x.csv", "1\n");
        CHECK(!fs::exists(path));
    }
    CHECK(!fs::exists(path));
    CHECK(CountEntries(scratch.Path() / "a") == 0);
    OutputDirectory directory(path, MayReplace::EarlierResult);
    directory.Write("x.csv", "1\n");
    directory.Write("y.csv", "2\n");
    directory.Publish();
    CHECK(ReadWholeFile(path / "x.csv") == "1\n");
    CHECK(CountEntries(path) == 2);
    CHECK(CountEntries(scratch.Path() / "a") == 1);
}

TEST_CASE("OutputDirectory: what a killed run of the same number left behind is not published",
          "[unit][simulation]")
{
    const ScratchDirectory scratch("output-left");
    const fs::path left = scratch.Path() / (".r." + std::to_string(getpid()));
    fs::create_directory(left);
    std::ofstream(left / "old.csv") << "1\n";
    OutputDirectory directory(scratch.Path() / "r", MayReplace::EarlierResult);
    directory.Write("x.csv", "1\n");
    directory.Publish();
    CHECK(CountEntries(scratch.Path() / "r") == 1);
    CHECK(fs::exists(left / "old.csv"));
}

TEST_CASE("OutputDirectory: files that others write appear with the rest", "[unit][simulation]")
{
    const ScratchDirectory scratch("output-path");
    const fs::path path = scratch.Path() / "r";
    OutputDirectory directory(path, MayReplace::EarlierResult);
    std::ofstream(directory.PathFor("pcap/a-b.pcap")) << "frames";
    CHECK(!fs::exists(path));
    directory.Write("x.csv", "1\n");
    directory.Publish();
    CHECK(ReadWholeFile(path / "pcap" / "a-b.pcap") == "frames");
    CHECK(ReadWholeFile(path / "x.csv") == "1\n");
}

TEST_CASE("OutputDirectory: replaces an earlier result and an empty directory",
          "[unit][simulation]")
{
    const ScratchDirectory scratch("output-replace");
    const fs::path path = scratch.Path() / "r";
    fs::create_directories(path);
    for (const std::string content : {"first", "second"})
    {
        OutputDirectory directory(path, MayReplace::EarlierResult);
        directory.Write("config.yaml", content);
        directory.Write("summary.json", content);
        directory.Write(content, "");
        directory.Publish();
    }
    CHECK(ReadWholeFile(path / "config.yaml") == "second");
    CHECK(!fs::exists(path / "first"));
    CHECK(CountEntries(path) == 3);
    CHECK(CountEntries(scratch.Path()) == 1);
}

TEST_CASE("OutputDirectory: touches nothing that is not its own", "[unit][simulation]")
{
    const ScratchDirectory scratch("output-foreign");
    scratch.Write("thesis/chapter1.tex", "precious");
    scratch.Write("half/config.yaml", "no summary beside it");
    const std::string file = scratch.Write("plain", "a file").string();
    const auto error = [&](const std::string& name)
    {
        try
        {
            const OutputDirectory directory(scratch.Path() / name, MayReplace::EarlierResult);
        }
        catch (const UsageError& thrown)
        {
            return scratch.WithoutPath(thrown.what());
        }
        return std::string();
    };
    CHECK(error("thesis") == "\"thesis\" holds something else than results of an earlier run; name "
                             "an empty or new directory with --out");
    CHECK(error("half") == "\"half\" holds something else than results of an earlier run; name an "
                           "empty or new directory with --out");
    CHECK(error("plain") == "\"plain\" is not a directory; name another with --out");
    CHECK(ReadWholeFile(scratch.Path() / "thesis/chapter1.tex") == "precious");
    CHECK(ReadWholeFile(file) == "a file");
}

TEST_CASE("OutputDirectory: other output than that of a run takes the place of nothing",
          "[unit][simulation]")
{
    const ScratchDirectory scratch("output-nothing");
    scratch.Write("r/config.yaml", "");
    scratch.Write("r/summary.json", "");
    fs::create_directories(scratch.Path() / "empty");
    CHECK_NOTHROW(OutputDirectory(scratch.Path() / "empty", MayReplace::Nothing));
    CHECK_THROWS_WITH(OutputDirectory(scratch.Path() / "r", MayReplace::Nothing),
                      Catch::EndsWith("/r\" is not empty; name an empty or new directory with "
                                      "--out"));
}

TEST_CASE("OutputDirectory: cannot be made below a file", "[unit][simulation]")
{
    const ScratchDirectory scratch("output-below-file");
    scratch.Write("plain", "");
    const auto write = [&]
    {
        OutputDirectory directory(scratch.Path() / "plain" / "r", MayReplace::Nothing);
        directory.Write("x", "");
    };
    CHECK_THROWS_AS(write(), UsageError);
}
