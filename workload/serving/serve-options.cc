// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/serve-options.h"

#include "workload/models/model-parameters.h"
#include "workload/models/transformer-shape.h"

#include <algorithm>

namespace nadi
{

std::string
ToText(ServingRole role)
{
    switch (role)
    {
    case ServingRole::Both:
        return "both";
    case ServingRole::Prefill:
        return "prefill";
    case ServingRole::Decode:
        return "decode";
    case ServingRole::Attention:
        return "attention";
    case ServingRole::Ffn:
        break;
    }
    return "ffn";
}

bool
ServeOptions::HasRole(ServingRole role) const
{
    return std::ranges::any_of(
        instances, [role](const InstanceOptions& instance) { return instance.Duty() == role; });
}

bool
ServeOptions::RoutesTokens() const
{
    return std::ranges::any_of(instances,
                               [](const InstanceOptions& instance)
                               { return instance.expert > 1 && !instance.IsFfn(); });
}

uint64_t
ServeOptions::RankCount() const
{
    uint64_t ranks = 0;
    for (const InstanceOptions& instance : instances)
    {
        ranks += instance.RanksOfOne() * instance.count;
    }
    return ranks;
}

std::unique_ptr<RequestSource>
MakeRequestSource(const ServeOptions& options, uint64_t seed)
{
    if (options.requestTrace)
    {
        return OpenRequestTrace(*options.requestTrace);
    }
    return std::make_unique<GeneratedRequests>(options.requests, seed);
}

std::vector<ParameterSpec>
ServedModelSpecs()
{
    std::vector<ParameterSpec> specs = TransformerShape::ParameterSpecs();
    specs.push_back(MakeNumberType("dtype", "The type of activations and dense weights."));
    specs.push_back(MakeNumberTypeAs(
        "expert-dtype", "dtype", "The type of experts' weights, and of what is sent to experts."));
    specs.push_back(
        MakeNumberTypeAs("kv-dtype", "dtype", "The type of keys and values in the cache."));
    return specs;
}

} // namespace nadi
