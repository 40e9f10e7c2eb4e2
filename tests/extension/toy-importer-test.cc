// SPDX-License-Identifier: GPL-2.0-only
// What CONTRIBUTING.md says of importers, followed once: the file of a program that nobody has
// becomes a configuration, with a line for each of its keys, and runs.
#include "configuration/config-document.h"
#include "configuration/yaml-writer.h"
#include "importers/import-draft.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A toy's file: {gpus: 4, gbps: 100, colour: red}.
ImportDraft
ImportToy(const std::filesystem::path& file)
{
    ImportDraft draft;
    const ConfigDocument document(file, {});
    Json ring{{"shape", "ring"}, {"latency", "1 us"}};
    for (const ConfigNode& key : document.Root().children)
    {
        if (key.key == "gpus")
        {
            ring["size"] = std::stoi(key.text);
            draft.Map(key, "workload.ranks", std::stoi(key.text));
        }
        else if (key.key == "gbps")
        {
            ring["bandwidth"] = key.text + " Gb/s";
            draft.Note(key, "network.dimensions[0].bandwidth");
        }
        else
        {
            draft.Drop(key, "a ring has none");
        }
    }
    draft.Set("network.dimensions", Json::array({ring}));
    draft.Set("workload.collective", Json{{"type", "all-reduce"}, {"size", "1 MiB"}});
    return draft;
}

} // namespace

TEST_CASE("An importer maps each key or says why not, and what it writes runs", "[extension]")
{
    const ScratchDirectory scratch("toy-importer");
    const auto file = scratch.Write("toy.yaml", "gpus: 4\ngbps: 100\ncolour: red\n");
    const ImportDraft draft = ImportToy(file);
    REQUIRE(draft.Lines().size() == 3);
    CHECK_THAT(draft.Lines()[0], Catch::Contains("gpus: 4 -> workload.ranks"));
    CHECK_THAT(draft.Lines()[2], Catch::Contains("colour: red -> no counterpart: a ring has none"));
    const RunResults results = RunYaml({WriteYaml(draft.Configuration())});
    CHECK(results.status == RunStatus::Done);
    CHECK(results.ranks.size() == 4);
}
