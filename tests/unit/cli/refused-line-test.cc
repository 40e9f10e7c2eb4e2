// SPDX-License-Identifier: GPL-2.0-only
#include "cli/command-parser.h"
#include "cli/commands.h"
#include "cli/refused-line.h"
#include "common/usage-error.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

/// What a user reads who types `nadi <words>`; "" where the line is not refused.
std::string
RefusalOf(const std::vector<std::string>& words)
{
    try
    {
        RunCommands(MakeAllCommands(), words, {});
    }
    catch (const UsageError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("DescribeRefusal: names the page of help of the command that was typed", "[unit][cli]")
{
    CHECK(RefusalOf({"run"}) == "CONFIG is required (nadi run --help says more)");
    CHECK(RefusalOf({"trace", "convert"}) ==
          "--from is required (nadi trace convert --help says more)");
    CHECK(RefusalOf({"import", "astra-sim"}) ==
          "--workload is required (nadi import astra-sim --help says more)");
    CHECK(RefusalOf({"list", "shape"}) ==
          "WHAT: shape is no list (did you mean shapes?) (nadi list --help says more)");
}

TEST_CASE("DescribeRefusal: a command that has others says which", "[unit][cli]")
{
    CHECK(RefusalOf({"import"}) ==
          "no command of import; known: astra-sim (nadi import --help says more)");
    CHECK(RefusalOf({"trace"}).starts_with("no command of trace; known: generate, convert, "));
    CHECK(RefusalOf({"trace"}).ends_with("(nadi trace --help says more)"));
    CHECK(RefusalOf({"trace", "generat", "mlp"}) ==
          "unknown command \"trace generat\" (did you mean generate?) (nadi trace --help says "
          "more)");
}

TEST_CASE("DescribeRefusal: a mistyped option is named before what is missing, with the nearest",
          "[unit][cli]")
{
    const std::string more = " (nadi run --help says more)";
    CHECK(RefusalOf({"run", "c.yaml", "--qiet"}) ==
          "unknown option --qiet (did you mean --quiet?)" + more);
    CHECK(RefusalOf({"run", "--qiet"}) == "unknown option --qiet (did you mean --quiet?)" + more);
    CHECK(RefusalOf({"run", "c.yaml", "--xyzzy"}) ==
          "unknown option --xyzzy; known: --set, --out, --quiet, --report, --help" + more);
    CHECK(RefusalOf({"run", "c.yaml", "d.yaml", "e.yaml"}) ==
          "\"d.yaml\" is one word too many; leave it out" + more);
    CHECK(RefusalOf({"--versoin"}) ==
          "unknown option --versoin (did you mean --version?) (nadi --help says more)");
}

TEST_CASE(
    "DescribeRefusal: options are compared by their letters, stand behind the command, and once",
    "[unit][cli]")
{
    CHECK(
        RefusalOf({"check", "c.yaml", "--out", "d"}).starts_with("unknown option --out; known: "));
    CHECK(RefusalOf({"--set", "seed=1", "run", "c.yaml"}) ==
          "--set stands before the command; write options behind \"nadi run\" (nadi run --help "
          "says more)");
    CHECK(RefusalOf({"run", "c.yaml", "--out", "a", "--out", "b"}) ==
          "--out is given 2 times; give it once (nadi run --help says more)");
    CHECK(
        RefusalOf({"run", "c.yaml", "--set", "network.nic=800", "Gb/s"}) ==
        "--set: \"Gb/s\" is not key.path=value, such as \"key=1 Gb/s\": quote a value and its unit "
        "together (nadi run --help says more)");
}

TEST_CASE("DescribeRefusal: an option that is the end of a key is suggested as a setting",
          "[unit][cli]")
{
    const auto check = [](const std::vector<std::string>& words, const std::string& suggested)
    {
        std::vector<std::string> line{"run", "c.yaml"};
        line.insert(line.end(), words.begin(), words.end());
        CHECK(RefusalOf(line) ==
              "unknown option " + words.front().substr(0, words.front().find('=')) +
                  " (did you mean " + suggested + "?) (nadi run --help says more)");
    };
    check({"--backend", "flow"}, "--set network.backend=flow");
    check({"--backend=flow"}, "--set network.backend=flow");
    check({"--backend"}, "--set network.backend=...");
    check({"--backend", "--quiet"}, "--set network.backend=...");
    check({"--payload", "1 KB"}, "--set network.packet.payload=\"1 KB\"");
    check({"--packet.payload", "1KB"}, "--set network.packet.payload=1KB");
    // --set is near, but this is a key as it is written.
    check({"--seed", "3"}, "--set seed=3");
    // An item of a list is the first one.
    check({"--shape", "ring"}, "--set network.dimensions[0].shape=ring");
    CHECK(RefusalOf({"check", "c.yaml", "--backend", "flow"}) ==
          "unknown option --backend (did you mean --set network.backend=flow?) (nadi check --help "
          "says more)");
    // Its settings are not keys of a configuration.
    CHECK(RefusalOf({"trace", "info", "t.et", "--backend"}) ==
          "unknown option --backend; known: --groups, --json, --help (nadi trace info --help says "
          "more)");
}
