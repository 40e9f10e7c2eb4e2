// SPDX-License-Identifier: GPL-2.0-only
// What CONTRIBUTING.md says of workload models, followed once: a model that is registered here can
// be chosen in a configuration, has parameters, and runs.
#include "tests/support/run-yaml.h"
#include "workload/generators/collective-workload.h"
#include "workload/workload-model.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

/// Nothing but barriers.
class ToyModel : public WorkloadModel
{
  public:
    static constexpr const char* Help = "Barriers, one after the other.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {{"barriers", ParameterKind::Count, "", "The number of barriers."}};
    }

    explicit ToyModel(const Parameters& parameters)
        : m_barriers(static_cast<uint32_t>(parameters.Get<int64_t>("barriers")))
    {
    }

    Workload Make(const JobPlace& place) const override
    {
        const CollectiveSpec barrier{
            .type = CollectiveType::Barrier, .size = Bytes(), .repeat = m_barriers};
        return MakeCollectiveWorkload({.where = "toy", .ranks = place.ranks, .steps = {{barrier}}});
    }

  private:
    uint32_t m_barriers;
};

NADI_REGISTER(WorkloadModel, ToyModel, "toy-barriers");

} // namespace

TEST_CASE("A workload model that is registered elsewhere can be chosen, and runs", "[extension]")
{
    const RunResults results =
        RunYaml({.yaml = "workload: {generate: {model: toy-barriers, barriers: 3}, ranks: 4}\n"
                         "network: {dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, "
                         "latency: 1 us}]}\n"});
    CHECK(results.status == RunStatus::Done);
    CHECK(results.collectives.size() == 3);
}
