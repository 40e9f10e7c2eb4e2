// SPDX-License-Identifier: GPL-2.0-only
// The same configuration with each backend.
#include "tests/support/keeps-bounds.h"
#include "tests/support/nadi-process.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string QUICKSTART = std::string(SOURCE_DIR) + "/configs/quickstart.yaml";

RunResults
RunQuickstart(const std::string& backend)
{
    return Simulate(QUICKSTART, {"network.backend=" + backend});
}

} // namespace

TEST_CASE("Backends: the quickstart runs with each, and none beats a lower bound", "[golden][cli]")
{
    const RunResults packet = RunQuickstart("packet");
    for (const std::string backend : {"flow", "analytical"})
    {
        CAPTURE(backend);
        const RunResults results = RunQuickstart(backend);
        REQUIRE(results.status == RunStatus::Done);
        CHECK(results.BytesSent() == packet.BytesSent());
        CHECK(results.totals.packets == packet.totals.packets);
        CHECK(results.totals.packetHops == packet.totals.packetHops);
        CHECK(results.events < packet.totals.packets);
        REQUIRE(results.collectives.size() == packet.collectives.size());
        for (const CollectiveResult& collective : results.collectives)
        {
            CHECK(KeepsBounds(collective));
        }
    }
}

TEST_CASE("Backends: summary.json says which one it was", "[golden][cli]")
{
    for (const std::string backend : {"packet", "flow", "analytical"})
    {
        const ScratchDirectory scratch("backend-" + backend);
        NadiProcess run(
            scratch,
            {"run", QUICKSTART, "--set", "network.backend=" + backend, "--out", "r", "--quiet"});
        REQUIRE(run.Wait().exitCode == 0);
        const std::string text = ReadWholeFile(scratch.Path() / "r/summary.json");
        const auto summary = nlohmann::json::parse(text);
        CHECK(summary["backend"] == backend);
        CHECK(summary["warnings"].empty());
    }
}
