// SPDX-License-Identifier: GPL-2.0-only
// The commands of `nadi trace` that say how a job is built and where its time went.
#include "cli/command-parser.h"
#include "cli/commands.h"
#include "common/error.h"
#include "common/usage-error.h"
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/trace-bytes.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// What the user reads when `nadi trace <arguments>` cannot be done on a trace of two kernels.
std::string
ErrorOfTrace(const std::string& name, std::vector<std::string> arguments)
{
    const ScratchDirectory directory(name);
    const std::string trace =
        directory.Write("job.0.et", MakeTrace({Kernel(1).Micros(5), Kernel(2).Data(1)})).string();
    arguments.insert(arguments.begin(), "trace");
    arguments.push_back(trace);
    try
    {
        RunCommands({MakeTraceCommand()}, arguments, {});
    }
    catch (const std::runtime_error& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("trace structure: degrees are names and numbers above 0", "[unit][cli]")
{
    for (const std::string bad : {"tp", "tp=", "tp=0", "zp=2", "tp=2x", "tp=-1"})
    {
        CHECK(ErrorOfTrace("cli-structure-degrees", {"structure", "--degrees", bad}) ==
              "--degrees: '" + bad +
                  "' is no degree; write some of tp, cp, dp, pp and ep, as tp=8,pp=2");
    }
}

TEST_CASE("trace structure: a degree that stands twice is refused", "[unit][cli]")
{
    for (const std::string twice : {"tp=2,tp=2", "tp=2,dp=4,tp=8"})
    {
        CHECK(ErrorOfTrace("cli-structure-twice", {"structure", "--degrees", twice}) ==
              "--degrees: tp stands twice; write it once");
    }
}

TEST_CASE("trace structure: a pattern that fits nothing is refused", "[unit][cli]")
{
    CHECK(ErrorOfTrace("cli-structure-pattern", {"structure", "--layer-pattern", "softmax"})
              .find("'softmax' fits the name of no kernel of ") != std::string::npos);
}

TEST_CASE("trace analyze: needs recorded starts", "[unit][cli]")
{
    CHECK(ErrorOfTrace("cli-analyze-starts", {"analyze"})
              .find("has no recorded starts and durations to analyse") != std::string::npos);
}

TEST_CASE("trace analyze: of two recordings, that which is missing is named", "[unit][cli]")
{
    const ScratchDirectory scratch("cli-analyze-missing");
    scratch.Write("job.0.et", MakeTrace({Kernel(1).Micros(5)}));
    const std::string folder = scratch.Path().string();
    const std::string missing = (scratch.Path() / "missing").string();
    for (const std::string command : {"analyze", "diff", "info"})
    {
        for (const auto& [first, second] : {std::pair(folder, missing), std::pair(missing, folder)})
        {
            CAPTURE(command, first);
            CHECK(ConfigErrorText(
                      [&] {
                          RunCommands({MakeTraceCommand()}, {"trace", command, first, second}, {});
                      })
                      .starts_with(missing + ": there is no such trace file"));
        }
    }
}

TEST_CASE("trace info: a folder in a list of files is said to be one", "[unit][cli]")
{
    const ScratchDirectory scratch("cli-info-folder");
    const std::string file = scratch.Write("job.0.et", MakeTrace({Kernel(1)})).string();
    const std::string folder = scratch.Path().string();
    CHECK(ConfigErrorText(
              [&] {
                  RunCommands({MakeTraceCommand()}, {"trace", "info", file, folder}, {});
              })
              .starts_with(folder + ": is a folder; name the trace files in it; did you mean"));
}
