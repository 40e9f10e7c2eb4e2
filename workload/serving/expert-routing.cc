// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/expert-routing.h"

#include "common/check.h"
#include "common/error.h"
#include "workload/serving/expert-weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nadi
{

/// Counts the copies of one source, token by token.
class ExpertRouter::Tally
{
  public:
    Tally(const ExpertRouter& router, uint64_t layer, uint32_t source)
        : m_slots(router.m_slots[layer])
        , m_copies(router.m_options.copies)
        , m_turns(router.m_layout.experts, source)
        , m_lastToken(router.m_layout.ranks, 0)
    {
        m_routed.bySlot.resize(m_slots.expertOf.size());
        m_routed.byRank.resize(router.m_layout.ranks);
    }

    void AddToken(const std::vector<uint32_t>& experts)
    {
        ++m_token;
        for (const uint32_t expert : experts)
        {
            // Replicas take turns; sources begin at different ones.
            const std::vector<uint32_t>& slots = m_slots.ofExpert[expert];
            const uint32_t slot =
                slots.size() == 1 ? slots[0] : slots[m_turns[expert]++ % slots.size()];
            const uint32_t rank = m_slots.rankOf[slot];
            ++m_routed.bySlot[slot];
            const bool isThere =
                m_copies == ExpertRoutingOptions::Copies::PerRank && m_lastToken[rank] == m_token;
            m_routed.byRank[rank] += isThere ? 0 : 1;
            m_lastToken[rank] = m_token;
        }
    }

    RoutedTokens Take()
    {
        return std::move(m_routed);
    }

  private:
    const ExpertSlots& m_slots;
    ExpertRoutingOptions::Copies m_copies;
    std::vector<uint64_t> m_turns;     // by expert
    std::vector<uint64_t> m_lastToken; // by rank; counted from 1
    uint64_t m_token = 0;
    RoutedTokens m_routed;
};

ExpertRouter::ExpertRouter(const ExpertRoutingOptions& options,
                           const ExpertLayout& layout,
                           uint64_t seed)
    : m_options(options)
    , m_layout(layout)
    , m_seed(seed)
{
    Check();
    if (options.routing == ExpertRoutingOptions::Routing::Trace)
    {
        m_trace.emplace(options.trace, layout.layers, layout.experts, layout.ranks, layout.topK);
    }
    for (uint64_t layer = 0; layer < layout.layers; ++layer)
    {
        m_drawers.emplace_back(MakeWeights(layer));
        m_slots.push_back(MakeSlots(m_drawers.back().Weights()));
    }
}

// These errors name no place: MakeExpertRouter, which knows the options, adds it.
void
ExpertRouter::Check() const
{
    using RoutingKind = ExpertRoutingOptions::Routing;
    const auto demand = [](bool holds, const std::string& problem)
    {
        if (!holds)
        {
            throw ConfigError("", problem);
        }
    };
    const std::string experts = std::to_string(m_layout.experts);
    demand(m_layout.ranks > 0 && m_layout.experts % m_layout.ranks == 0,
           "ep " + std::to_string(m_layout.ranks) + " does not divide the " + experts +
               " experts; it has to");
    demand(m_layout.topK > 0 && m_layout.topK <= m_layout.experts,
           "a token goes to " + std::to_string(m_layout.topK) + " experts; write 1 to " + experts);
    demand(m_options.routing != RoutingKind::Zipf ||
               (m_options.parameter >= 0 && m_options.parameter <= 10),
           "zipf: write a skew from 0 to 10");
    demand(m_options.routing != RoutingKind::Dirichlet ||
               (m_options.parameter >= 0.001 && m_options.parameter <= 1e6),
           "dirichlet: write a concentration from 0.001 to 1e6");
    demand(m_options.hottest <= m_layout.experts,
           "replicas: hottest " + std::to_string(m_options.hottest) + " exceeds the " + experts +
               " experts");
    demand(m_options.replicas >= 1 && m_options.replicas <= m_layout.ranks,
           "replicas: copies " + std::to_string(m_options.replicas) + ": write 1 to " +
               std::to_string(m_layout.ranks) + ", the number of ranks");
}

std::vector<double>
ExpertRouter::MakeWeights(uint64_t layer) const
{
    switch (m_options.routing)
    {
    case ExpertRoutingOptions::Routing::Zipf:
        return MakeZipfWeights(m_layout.experts, m_options.parameter, m_seed, layer);
    case ExpertRoutingOptions::Routing::Dirichlet:
        return MakeDirichletWeights(m_layout.experts, m_options.parameter, m_seed, layer);
    case ExpertRoutingOptions::Routing::Trace:
        return m_trace->Weights(layer);
    // Uniform; and Balanced, which draws nothing. With equal weights the experts of the lowest
    // numbers have replicas.
    default:
        return std::vector<double>(m_layout.experts, 1.0 / m_layout.experts);
    }
}

/// The c-th replica lies c x ranks / replicas ranks after the expert itself.
ExpertSlots
ExpertRouter::MakeSlots(const std::vector<double>& weights) const
{
    ExpertSlots slots;
    const uint32_t perRank = m_layout.experts / m_layout.ranks;
    for (uint32_t expert = 0; expert < m_layout.experts; ++expert)
    {
        slots.expertOf.push_back(expert);
        slots.rankOf.push_back(expert / perRank);
        slots.ofExpert.push_back({expert});
    }
    std::vector<uint32_t> order = slots.expertOf;
    // Of equal weights, the expert of the lower number counts as hotter.
    std::stable_sort(order.begin(),
                     order.end(),
                     [&weights](uint32_t a, uint32_t b) { return weights[a] > weights[b]; });
    order.resize(m_options.hottest);
    for (const uint32_t expert : order)
    {
        for (uint32_t copy = 1; copy < m_options.replicas; ++copy)
        {
            const uint64_t step = uint64_t{copy} * m_layout.ranks / m_options.replicas;
            slots.ofExpert[expert].push_back(static_cast<uint32_t>(slots.expertOf.size()));
            slots.rankOf.push_back(
                static_cast<uint32_t>((slots.rankOf[expert] + step) % m_layout.ranks));
            slots.expertOf.push_back(expert);
        }
    }
    return slots;
}

// Each of the three ways hands whole tokens to the tally: with Copies::PerRank, which copies are
// sent depends on the experts that a token has together.
RoutedTokens
ExpertRouter::Route(uint64_t iteration, uint64_t layer, TokenSource source, uint64_t tokens) const
{
    NADI_CHECK(layer < m_layout.layers);
    Tally tally(*this, layer, source.rank);
    const std::vector<uint64_t>* recorded =
        m_trace ? m_trace->Find(iteration, layer, source.place) : nullptr;
    bool isOffTrace = false;
    if (m_options.routing == ExpertRoutingOptions::Routing::Balanced)
    {
        AddBalanced(tally, iteration + layer, source, tokens);
    }
    // Counts can be repeated only by as many tokens as were recorded. Other batches are drawn with
    // the weights of the file.
    else if (recorded != nullptr && CanRepeat(*recorded, tokens))
    {
        AddRecorded(tally, *recorded, tokens);
    }
    else
    {
        // A stream for each source, so that the draws of one do not depend on how many tokens
        // another has.
        RandomNumbers random(
            m_seed, RandomPurpose::Routes, Hash64({iteration, layer}), source.rank);
        std::vector<uint32_t> experts(m_layout.topK);
        for (uint64_t i = 0; i < tokens; ++i)
        {
            m_drawers[layer].Draw(random, experts);
            tally.AddToken(experts);
        }
        isOffTrace = tokens > 0 && m_trace && m_trace->IsExact();
    }
    RoutedTokens routed = tally.Take();
    routed.isOffTrace = isOffTrace;
    return routed;
}

/// Goes round all ranks, and at each round to the next expert of each. A source goes on where the
/// one before it ends. So does the next layer, and the next pass, if the passes have as many
/// tokens. Example: 3 tokens with 2 of 4 experts on 2 ranks go to {0, 2}, {1, 3}, {0, 2}; those of
/// the next source begin with {1, 3}.
void
ExpertRouter::AddBalanced(Tally& tally,
                          uint64_t turn,
                          const TokenSource& source,
                          uint64_t tokens) const
{
    const uint64_t count = m_layout.experts;
    const uint64_t ofRank = count / m_layout.ranks;
    // Modulo the experts at each step, so that nothing overflows.
    const uint64_t first = (turn % count * (source.ofGroup % count) + source.before) % count;
    uint64_t next = first * m_layout.topK % count;
    std::vector<uint32_t> experts(m_layout.topK);
    for (uint64_t i = 0; i < tokens; ++i)
    {
        for (uint32_t& expert : experts)
        {
            const uint64_t rank = next % m_layout.ranks;
            expert = static_cast<uint32_t>(rank * ofRank + next / m_layout.ranks);
            next = (next + 1) % count;
        }
        tally.AddToken(experts);
    }
}

/// Whether `tokens` tokens, each with distinct experts, can make these counts.
bool
ExpertRouter::CanRepeat(const std::vector<uint64_t>& counts, uint64_t tokens) const
{
    return std::accumulate(counts.begin(), counts.end(), uint64_t{0}) == tokens * m_layout.topK &&
           *std::max_element(counts.begin(), counts.end()) <= tokens;
}

/// The copies in order of experts: token t takes copies t, t + tokens, ... An expert has at most
/// `tokens` copies in a row, and so none for a token twice.
/// Example: the counts {2, 1, 1} of 2 tokens with 2 experts each are the copies 0, 0, 1, 2. The
/// first token takes 0 and 1, the second one 0 and 2.
void
ExpertRouter::AddRecorded(Tally& tally, const std::vector<uint64_t>& counts, uint64_t tokens) const
{
    std::vector<uint32_t> copies;
    for (uint32_t expert = 0; expert < counts.size(); ++expert)
    {
        copies.insert(copies.end(), counts[expert], expert);
    }
    std::vector<uint32_t> experts(m_layout.topK);
    for (uint64_t token = 0; token < tokens; ++token)
    {
        for (uint32_t k = 0; k < m_layout.topK; ++k)
        {
            experts[k] = copies[k * tokens + token];
        }
        tally.AddToken(experts);
    }
}

std::vector<uint64_t>
ExpertRouter::ByExpert(uint64_t layer, const std::vector<uint64_t>& bySlot) const
{
    std::vector<uint64_t> counts(m_layout.experts);
    for (size_t slot = 0; slot < bySlot.size(); ++slot)
    {
        counts[m_slots[layer].expertOf[slot]] += bySlot[slot];
    }
    return counts;
}

std::vector<uint32_t>
ExpertRouter::DistinctExperts(uint64_t layer, const std::vector<uint64_t>& bySlot) const
{
    std::vector<uint32_t> counts(m_layout.ranks);
    for (size_t slot = 0; slot < bySlot.size(); ++slot)
    {
        counts[m_slots[layer].rankOf[slot]] += bySlot[slot] > 0 ? 1 : 0;
    }
    return counts;
}

std::vector<uint64_t>
ExpertRouter::TokensByRank(uint64_t layer, const std::vector<uint64_t>& bySlot) const
{
    std::vector<uint64_t> counts(m_layout.ranks);
    for (size_t slot = 0; slot < bySlot.size(); ++slot)
    {
        counts[m_slots[layer].rankOf[slot]] += bySlot[slot];
    }
    return counts;
}

} // namespace nadi
