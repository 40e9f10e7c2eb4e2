// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/serving-instances.h"

#include "common/error.h"
#include "workload/serving/rank-memory.h"

#include <fmt/format.h>

#include <map>

namespace nadi
{

namespace
{

void
CheckRoles(const ServeOptions& options)
{
    const bool hasPrefill = options.HasRole(ServingRole::Prefill);
    const bool hasDecode = options.HasRole(ServingRole::Decode);
    // Keys and values go from one to the other, so neither can serve alone.
    if (hasPrefill != hasDecode)
    {
        throw ConfigError(options.where,
                          fmt::format("workload.serve.instances: {} without {}; add an instance of "
                                      "role {}, or use role both",
                                      hasPrefill ? "prefill" : "decode",
                                      hasPrefill ? "decode" : "prefill",
                                      hasPrefill ? "decode" : "prefill"));
    }
}

/// Each attention instance finds the one that has its experts.
void
JoinPairs(const ServeOptions& options, std::deque<ServingInstance>& instances)
{
    std::map<std::string, ServingInstance*> attention;
    // The number of the first instance of an entry; entries of pairs have one each (CheckApart).
    size_t number = 0;
    for (const InstanceOptions& entry : options.instances)
    {
        if (entry.IsAttention() && !attention.emplace(entry.name, &instances[number]).second)
        {
            throw ConfigError(entry.where,
                              fmt::format("there is another attention instance of the name \"{}\"; "
                                          "write another name",
                                          entry.name));
        }
        number += entry.count;
    }
    // A second pass, since an entry of experts may stand before the attention that it names.
    number = 0;
    for (const InstanceOptions& entry : options.instances)
    {
        if (entry.IsFfn())
        {
            const auto found = attention.find(entry.pair);
            if (found == attention.end() || found->second->Experts() != nullptr)
            {
                throw ConfigError(entry.where,
                                  fmt::format("pair: there is no attention instance \"{}\" without "
                                              "experts; write the name of one",
                                              entry.pair));
            }
            found->second->SetExperts(instances[number]);
        }
        number += entry.count;
    }
    for (const InstanceOptions& entry : options.instances)
    {
        if (entry.IsAttention() && attention.at(entry.name)->Experts() == nullptr)
        {
            throw ConfigError(entry.where,
                              "attention without ffn: its experts lie nowhere; add {role: ffn, "
                              "pair: " +
                                  entry.name + ", ep: ...}");
        }
    }
}

/// Throws ConfigError at what attention and experts apart cannot be.
void
CheckApart(const InstanceOptions& entry)
{
    const bool isApart = entry.IsAttention() || entry.IsFfn();
    if (isApart && entry.count > 1)
    {
        throw ConfigError(entry.where, "count: a pair has one instance each; write 1");
    }
    if (isApart && entry.pipeline > 1)
    {
        throw ConfigError(entry.where, "pp: attention and experts apart have no stages; write 1");
    }
    if (entry.IsAttention() && entry.expert > 1)
    {
        throw ConfigError(entry.where, "ep: its experts lie on the ffn instance; write 1");
    }
    if (entry.IsFfn() && (entry.tensor > 1 || entry.data > 1))
    {
        throw ConfigError(entry.where,
                          "tp and dp: an ffn instance has ep ranks with whole experts; remove "
                          "them");
    }
}

} // namespace

std::deque<ServingInstance>
MakeServingInstances(const ServeOptions& options, uint64_t seed)
{
    CheckRoles(options);
    // Instances of a pair point to each other, so none of them may move.
    std::deque<ServingInstance> instances;
    uint32_t firstRank = 0;
    for (const InstanceOptions& entry : options.instances)
    {
        CheckApart(entry);
        for (uint32_t i = 0; i < entry.count; ++i)
        {
            const auto number = static_cast<uint32_t>(instances.size());
            instances.emplace_back(options, entry, number, firstRank, seed);
            firstRank += instances.back().RankCount();
        }
    }
    JoinPairs(options, instances);
    // After JoinPairs: what a rank of experts has to hold depends on its attention instance.
    for (const ServingInstance& instance : instances)
    {
        CheckMemory(instance, options.batching);
    }
    return instances;
}

} // namespace nadi
