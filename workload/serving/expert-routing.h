// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/expert-drawer.h"
#include "workload/serving/expert-trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// How tokens find their experts; `workload.serve.experts`.
struct ExpertRoutingOptions
{
    enum class Routing : uint8_t
    {
        Uniform,   ///< all experts have the same weight
        Balanced,  ///< no chance: in a layer of a pass each expert gets as many tokens as any
                   ///< other, or one more, and so does each rank
        Zipf,      ///< weights 1 / i^parameter, which expert is hot is drawn for each layer
        Dirichlet, ///< weights of each layer are drawn, with the concentration `parameter`
        Trace,     ///< weights or counts from the file `trace` (ExpertTrace)
    };

    enum class Copies : uint8_t
    {
        PerExpert, ///< a token is sent once to each of its experts
        PerRank,   ///< a token is sent once to each rank that has one or more of its experts
    };

    Routing routing = Routing::Uniform;
    double parameter = 0;
    std::string trace = {};
    Copies copies = Copies::PerExpert;
    uint32_t hottest = 0;  ///< experts of each layer, by weight, of which there are several
    uint32_t replicas = 1; ///< of each of those; their tokens are shared evenly

    bool operator==(const ExpertRoutingOptions&) const = default;
};

/// The experts of a model and the ranks that have them.
struct ExpertLayout
{
    uint64_t layers = 1; ///< with experts
    uint32_t experts = 1;
    uint32_t topK = 1;
    uint32_t ranks = 1; ///< ep
};

/// Where experts lie in a layer. A slot is an expert in the memory of a rank: slot x < experts is
/// expert x on rank floor(x ranks / experts); further slots are replicas.
struct ExpertSlots
{
    std::vector<uint32_t> expertOf;
    std::vector<uint32_t> rankOf;
    std::vector<std::vector<uint32_t>> ofExpert; ///< its slots, by expert
};

/// A rank that sends tokens to experts.
struct TokenSource
{
    uint32_t rank = 0;    ///< of the job: no two have the same draws
    uint32_t place = 0;   ///< among the ranks that share the experts: `rank` in an ExpertTrace
    uint64_t before = 0;  ///< tokens of those at lower places
    uint64_t ofGroup = 0; ///< tokens of all of them
};

/// The tokens of one source rank in one layer.
struct RoutedTokens
{
    std::vector<uint64_t> bySlot; ///< tokens that a slot computes; their sum is tokens x topK
    std::vector<uint64_t> byRank; ///< copies sent to each rank (ExpertRoutingOptions::Copies)
    /// There are tokens, and they were drawn although a trace has counts of single ranks and
    /// iterations: it says nothing of these, or not of so many tokens.
    bool isOffTrace = false;
};

/// Says which experts the tokens of a batch go to. All answers are functions of the seed and the
/// arguments.
///
/// Each token is drawn by itself, however many there are: `topK` distinct experts, by weight and
/// without replacement.
class ExpertRouter
{
  public:
    /// Throws ConfigError, at no place, for a layout without ranks, with ranks that do not divide
    /// the experts, with a topK of 0 or above the experts; for a negative skew, a concentration of
    /// 0; for replicas that exceed ranks or experts; and what ExpertTrace throws.
    ExpertRouter(const ExpertRoutingOptions& options, const ExpertLayout& layout, uint64_t seed);

    /// Requires: layer < layers.
    RoutedTokens
    Route(uint64_t iteration, uint64_t layer, TokenSource source, uint64_t tokens) const;

    /// Weights by expert.
    const std::vector<double>& Weights(uint64_t layer) const
    {
        return m_drawers[layer].Weights();
    }

    const ExpertSlots& Slots(uint64_t layer) const
    {
        return m_slots[layer];
    }

    /// Tokens by expert, from those by slot.
    std::vector<uint64_t> ByExpert(uint64_t layer, const std::vector<uint64_t>& bySlot) const;

    /// How many of its slots have tokens, by rank; `bySlot`: the sum over all sources.
    std::vector<uint32_t> DistinctExperts(uint64_t layer,
                                          const std::vector<uint64_t>& bySlot) const;

    /// Tokens that its slots compute, by rank.
    std::vector<uint64_t> TokensByRank(uint64_t layer, const std::vector<uint64_t>& bySlot) const;

  private:
    class Tally;

    void Check() const;
    std::vector<double> MakeWeights(uint64_t layer) const;
    ExpertSlots MakeSlots(const std::vector<double>& weights) const;
    void AddBalanced(Tally& tally, uint64_t turn, const TokenSource& source, uint64_t tokens) const;
    void AddRecorded(Tally& tally, const std::vector<uint64_t>& counts, uint64_t tokens) const;
    bool CanRepeat(const std::vector<uint64_t>& counts, uint64_t tokens) const;

    ExpertRoutingOptions m_options;
    ExpertLayout m_layout;
    uint64_t m_seed;
    std::optional<ExpertTrace> m_trace;
    std::vector<ExpertDrawer> m_drawers; // by layer
    std::vector<ExpertSlots> m_slots;    // by layer
};

} // namespace nadi
