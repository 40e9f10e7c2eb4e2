// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/parameter-rules.h"

#include "workload/models/kernel-work.h"

namespace nadi
{

namespace
{

/// The matrices of queries, keys, values and the output, a bias for each of their columns where
/// there are biases, and the norm before them.
uint64_t
CountAttention(const ShapeSizes& part, const ParameterRules& rules)
{
    const uint64_t queries = MultiplyCounts({part.heads, part.headSize});
    const uint64_t outputs = queries + MultiplyCounts({2, part.kvHeads, part.headSize});
    const uint64_t biases = rules.hasBiases ? outputs + part.hidden : 0;
    return MultiplyCounts({part.hidden, outputs + queries}) + biases +
           rules.normVectors * part.hidden;
}

/// Without a norm.
uint64_t
CountMlp(uint64_t width, const ShapeSizes& part, const ParameterRules& rules)
{
    const uint64_t biases = rules.hasBiases ? part.gates * width + part.hidden : 0;
    return MultiplyCounts({part.gates + 1, part.hidden, width}) + biases;
}

uint64_t
CountBlock(BlockKind kind, const ShapeSizes& part, const ParameterRules& rules)
{
    const uint64_t norm = rules.normVectors * part.hidden;
    switch (kind)
    {
    case BlockKind::Attention:
        return CountAttention(part, rules);
    case BlockKind::Mlp:
        return CountMlp(part.ffn, part, rules) + norm;
    case BlockKind::SharedExperts:
        return MultiplyCounts({part.sharedExperts, CountMlp(part.expertFfn, part, rules)});
    case BlockKind::Router:
        // The second norm of a layer stands before its MLP, or else before the router of its
        // experts.
        return MultiplyCounts({part.hidden, part.experts}) + norm;
    case BlockKind::Experts:
        return MultiplyCounts({part.LocalExperts(), CountMlp(part.expertFfn, part, rules)});
    case BlockKind::Embedding:
        return MultiplyCounts(
            {part.vocabulary + (rules.hasPositions ? part.sequence : 0), part.hidden});
    case BlockKind::Head:
        return norm + (rules.hasHeadMatrix ? MultiplyCounts({part.vocabulary, part.hidden}) : 0);
    }
    return 0;
}

} // namespace

ParameterSet
ParameterSet::Experts() const
{
    ParameterSet set;
    set.Of(BlockKind::Experts) = Of(BlockKind::Experts);
    return set;
}

ParameterSet
ParameterSet::Dense() const
{
    ParameterSet set = *this;
    set.Of(BlockKind::Experts) = 0;
    return set;
}

std::vector<ParameterRules>
ListParameterRules()
{
    std::vector<ParameterRules> rules;
    // ShapeReader::FindRules takes the first rule that explains a recording, so the order counts.
    for (const bool hasHeadMatrix : {false, true})
    {
        for (const bool hasPositions : {false, true})
        {
            for (const bool hasBiases : {false, true})
            {
                for (const uint64_t normVectors : {1, 2})
                {
                    rules.push_back({hasBiases, normVectors, hasPositions, hasHeadMatrix});
                }
            }
        }
    }
    return rules;
}

uint64_t
CountParameters(const ParameterSet& set, const ShapeSizes& part, const ParameterRules& rules)
{
    uint64_t count = 0;
    for (size_t kind = 0; kind < BLOCK_KINDS; ++kind)
    {
        if (set.blocks[kind] > 0)
        {
            count += MultiplyCounts(
                {set.blocks[kind], CountBlock(static_cast<BlockKind>(kind), part, rules)});
        }
    }
    return count;
}

} // namespace nadi
