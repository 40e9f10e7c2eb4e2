// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-progress.h"
#include "simulation/simulation.h"
#include "tests/support/run-yaml.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// A run of a cluster that serves, with all its requests.
struct ServedRun
{
    RunResults results;
    std::map<uint64_t, RequestRecord> requests; ///< by id
    std::vector<std::string> notes;             ///< on the input
    std::vector<uint64_t> kvRooms; ///< bytes for keys and values of a replica, by instance
};

class RequestCollector : public RequestObserver
{
  public:
    void OnRequestEnded(const RequestRecord& request) override
    {
        requests[request.id] = request;
    }

    std::map<uint64_t, RequestRecord> requests;
};

inline ServedRun
ServeYaml(const YamlRun& run)
{
    const std::filesystem::path scratch(TEST_SCRATCH);
    std::filesystem::create_directories(scratch);
    const std::filesystem::path file = scratch / "serve.yaml";
    std::ofstream(file) << run.yaml;
    const RunInput input(file, run.settings, {.scrambleSeed = run.scrambleSeed});
    RunProgress progress;
    Simulation simulation(input, progress);
    RequestCollector collector;
    simulation.ObserveRequests(collector);
    ServedRun served;
    served.results = simulation.Run();
    served.notes = input.Notes();
    served.requests = std::move(collector.requests);
    for (const ServingInstance& instance : input.Serving()->instances)
    {
        served.kvRooms.push_back(instance.Blocks() * instance.BytesOfBlock());
    }
    return served;
}

inline bool
HasWarning(const ServedRun& run, const std::string& begin)
{
    return std::ranges::any_of(run.results.warnings,
                               [&](const std::string& warning)
                               { return warning.starts_with(begin); });
}

} // namespace nadi
