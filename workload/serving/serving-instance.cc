// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/serving-instance.h"

#include "common/error.h"
#include "common/unit-parser.h"
#include "workload/models/model-parameters.h"
#include "workload/serving/rank-memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace nadi
{

namespace
{

/// Of a rank's memory, that an engine gives to weights and KV blocks.
constexpr double USABLE_MEMORY = 0.9;

ForwardModel
ReadServedModel(const ServeOptions& options, const InstanceOptions& instance)
{
    const Parameters values = Parameters::Parse(ServedModelSpecs(), options.model.parameters);
    const auto bytes = [&](const char* name)
    { return SizeOfNumberType(values.Get<std::string>(name)); };
    return {.shape = TransformerShape::Read(values),
            .tensor = instance.tensor,
            .pipeline = instance.pipeline,
            .expert = instance.expert,
            .isWithoutExperts = instance.IsAttention(),
            .elementBytes = bytes("dtype"),
            .expertBytes = bytes("expert-dtype"),
            .kvBytes = bytes("kv-dtype"),
            .elementType = ReadNumberType(values, "dtype"),
            .expertType = ReadNumberType(values, "expert-dtype"),
            .kvType = ReadNumberType(values, "kv-dtype")};
}

std::string
InGigabytes(uint64_t bytes)
{
    return fmt::format("{:.1f} GB", double(bytes) / 1e9);
}

void
CheckRoles(const ServeOptions& options)
{
    const bool hasPrefill = options.HasRole(ServingRole::Prefill);
    const bool hasDecode = options.HasRole(ServingRole::Decode);
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

} // namespace

ServingInstance::ServingInstance(const ServeOptions& options,
                                 const InstanceOptions& instance,
                                 uint32_t number,
                                 uint32_t firstRank)
    : m_number(number)
    , m_role(instance.Duty())
    , m_isAttention(instance.IsAttention())
    , m_microBatches(instance.microBatches)
    , m_memory(instance.memory)
    , m_where(instance.where)
    , m_tokensOfBlock(options.batching.block)
    , m_model(ReadServedModel(options, instance))
    , m_replicas(instance.IsFfn() ? instance.expert : instance.data)
    , m_firstRank(firstRank)
{
    try
    {
        m_model.Check(m_replicas);
    }
    catch (const ConfigError& error)
    {
        throw ConfigError(instance.where, error.Where() + ": " + error.Problem());
    }
    m_parts = m_model.Parts();
    for (uint32_t rank = 0; rank < m_model.tensor; ++rank)
    {
        m_partOfTensorRank.push_back(m_model.PartOf(rank));
    }
    FindBlocks(options.kvMemory);
}

uint64_t
ServingInstance::WeightBytes(uint32_t stage, uint32_t tensorRank) const
{
    const TransformerShape& part = PartOf(tensorRank);
    if (m_role != ServingRole::Ffn)
    {
        return m_model.WeightBytes(part, stage);
    }
    ForwardModel rest = m_model;
    rest.isWithoutExperts = true;
    return m_model.WeightBytes(part, stage) - rest.WeightBytes(part, stage);
}

uint64_t
ServingInstance::BytesOfBlock(uint32_t stage, uint32_t tensorRank) const
{
    return m_tokensOfBlock * m_model.LayersOf(stage) * m_model.KvBytesOfLayer(PartOf(tensorRank));
}

void
ServingInstance::FindBlocks(const std::optional<Bytes>& kvMemory)
{
    const double usable = double(m_memory.Count()) * USABLE_MEMORY;
    m_blocks = std::numeric_limits<uint64_t>::max();
    for (uint32_t stage = 0; stage < m_model.pipeline; ++stage)
    {
        for (uint32_t rank = 0; rank < m_model.tensor; ++rank)
        {
            const uint64_t weights = WeightBytes(stage, rank);
            if (double(weights) > usable)
            {
                throw ConfigError(
                    m_where,
                    fmt::format(
                        "the weights of a rank, {}, do not fit nine tenths of its memory of "
                        "{}; write a larger tp, pp or ep, or more memory",
                        InGigabytes(weights),
                        ToText(m_memory)));
            }
            const auto room = kvMemory ? static_cast<uint64_t>(kvMemory->Count())
                                       : static_cast<uint64_t>(usable) - weights;
            m_blocks = std::min(m_blocks, room / BytesOfBlock(stage, rank));
            m_bytesOfBlock += BytesOfBlock(stage, rank);
        }
    }
    if (m_blocks == 0 && m_role != ServingRole::Ffn)
    {
        throw ConfigError(m_where,
                          "its weights leave no room for keys and values; write more memory or "
                          "kv-memory");
    }
}

std::string
ServingInstance::Name() const
{
    return (m_isAttention ? "attention" : ToText(m_role)) + std::to_string(m_number);
}

std::vector<RankId>
ServingInstance::ExpertGroup(uint32_t stage, uint32_t replica) const
{
    const uint32_t first = replica - replica % ReplicasOfGroup();
    std::vector<RankId> ranks;
    for (uint32_t i = 0; i < m_model.expert; ++i)
    {
        ranks.push_back(RankId{RankAt(stage, first, 0).value + i});
    }
    return ranks;
}

namespace
{

/// Each attention instance finds the one that has its experts.
void
JoinPairs(const ServeOptions& options, std::deque<ServingInstance>& instances)
{
    std::map<std::string, ServingInstance*> attention;
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

ExpertRouter
MakeExpertRouter(const ServeOptions& options, const ServingInstance& instance, uint64_t seed)
{
    const TransformerShape& shape = instance.Model().shape;
    const auto narrow = [](uint64_t count) { return static_cast<uint32_t>(count); };
    try
    {
        return ExpertRouter(options.experts,
                            {.layers = shape.layers - shape.denseLayers,
                             .experts = narrow(shape.experts),
                             .topK = narrow(shape.topK),
                             .ranks = instance.Model().expert},
                            seed);
    }
    catch (const ConfigError& error)
    {
        if (!error.Where().empty())
        {
            throw; // of a file
        }
        throw ConfigError(options.where, "workload.serve.experts: " + error.Problem());
    }
}

std::deque<ServingInstance>
MakeServingInstances(const ServeOptions& options)
{
    CheckRoles(options);
    std::deque<ServingInstance> instances;
    uint32_t firstRank = 0;
    for (const InstanceOptions& entry : options.instances)
    {
        CheckApart(entry);
        for (uint32_t i = 0; i < entry.count; ++i)
        {
            const auto number = static_cast<uint32_t>(instances.size());
            instances.emplace_back(options, entry, number, firstRank);
            firstRank += instances.back().RankCount();
        }
    }
    JoinPairs(options, instances);
    for (const ServingInstance& instance : instances)
    {
        CheckMemory(instance, options.batching);
    }
    return instances;
}

} // namespace nadi
