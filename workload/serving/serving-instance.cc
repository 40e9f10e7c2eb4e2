// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/serving-instance.h"

#include "common/error.h"
#include "common/unit-parser.h"
#include "workload/models/model-parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

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

} // namespace

ServingInstance::ServingInstance(const ServeOptions& options,
                                 const InstanceOptions& instance,
                                 uint32_t number,
                                 uint32_t firstRank,
                                 uint64_t seed)
    : m_number(number)
    , m_role(instance.Duty())
    , m_isAttention(instance.IsAttention())
    , m_microBatches(instance.microBatches)
    , m_memory(instance.memory)
    , m_where(instance.where)
    , m_tokensOfBlock(options.batching.block)
    , m_model(ReadServedModel(options, instance))
    // Each rank of an instance of experts is a replica by itself.
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
    if (HasRouter() && HasExpertReplicas(options.experts))
    {
        CountReplicas(MakeExpertRouter(options, *this, seed));
    }
    FindBlocks(options.kvMemory);
}

void
ServingInstance::CountReplicas(const ExpertRouter& router)
{
    const uint64_t dense = m_model.shape.denseLayers;
    for (uint32_t stage = 0; stage < m_model.pipeline; ++stage)
    {
        std::vector<uint64_t> ofPlace(m_model.expert, 0); // by rank of the expert group
        // The layers of a router are those with experts.
        for (uint64_t layer = std::max(dense, m_model.FirstLayer(stage));
             layer < m_model.FirstLayer(stage + 1);
             ++layer)
        {
            const std::vector<uint32_t>& rankOf = router.Slots(layer - dense).rankOf;
            for (size_t slot = m_model.shape.experts; slot < rankOf.size(); ++slot)
            {
                ++ofPlace[rankOf[slot]];
            }
        }
        // Expert groups are made of whole tensor groups (ForwardModel::Check).
        std::vector<uint64_t> most(m_model.tensor, 0);
        for (uint32_t place = 0; place < m_model.expert; ++place)
        {
            uint64_t& here = most[place % m_model.tensor];
            here = std::max(here, ofPlace[place]);
        }
        m_expertReplicas.insert(m_expertReplicas.end(), most.begin(), most.end());
    }
}

uint64_t
ServingInstance::ReplicasOfExperts(uint32_t stage, uint32_t tensorRank) const
{
    return m_expertReplicas.empty() ? 0 : m_expertReplicas[stage * m_model.tensor + tensorRank];
}

uint64_t
ServingInstance::WeightBytes(uint32_t stage, uint32_t tensorRank) const
{
    const TransformerShape& part = PartOf(tensorRank);
    if (m_role != ServingRole::Ffn)
    {
        return m_model.WeightBytes(part, stage) +
               ReplicasOfExperts(stage, tensorRank) * m_model.BytesOfExpert(part);
    }
    // What the model has with its experts, less what it has without them.
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
                        "{}; write a larger tp, pp or ep, {}or more memory",
                        InGigabytes(weights),
                        ToText(m_memory),
                        ReplicasOfExperts(stage, rank) > 0 ? "fewer replicas of experts, " : ""));
            }
            // An amount that the user gives is not bounded by the nine tenths; CheckMemory refuses
            // what does not fit the memory itself.
            const auto room = kvMemory ? static_cast<uint64_t>(kvMemory->Count())
                                       : static_cast<uint64_t>(usable) - weights;
            // A sequence has as many blocks on each rank of its replica, so the fullest rank is the
            // limit.
            m_blocks = std::min(m_blocks, room / BytesOfBlock(stage, rank));
            m_bytesOfBlock += BytesOfBlock(stage, rank);
        }
    }
    // Ranks of experts alone hold no keys and values.
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
    // In a stage, the ranks of replicas that share experts are neighbours (RankAt).
    const uint32_t first = replica - replica % ReplicasOfGroup();
    std::vector<RankId> ranks;
    for (uint32_t i = 0; i < m_model.expert; ++i)
    {
        ranks.push_back(RankId{RankAt(stage, first, 0).value + i});
    }
    return ranks;
}

bool
HasExpertReplicas(const ExpertRoutingOptions& experts)
{
    return experts.hottest > 0 && experts.replicas > 1;
}

ExpertRouter
MakeExpertRouter(const ServeOptions& options, const ServingInstance& instance, uint64_t seed)
{
    const TransformerShape& shape = instance.Model().shape;
    const auto narrow = [](uint64_t count) { return static_cast<uint32_t>(count); };
    try
    {
        return ExpertRouter(options.experts,
                            // The dense layers, which are the first ones, route no tokens.
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

} // namespace nadi
