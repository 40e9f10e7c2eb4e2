// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "network/cut-graph.h"
#include "system/collective-plan.h"
#include "system/fabric-limits.h"
#include "system/message-programs/program-maker.h"
#include "system/message-programs/program-plan.h"
#include "system/message-programs/program-proof.h"
#include "system/synthesis/synthesis.h"

#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{
namespace
{

/// As many links as a bound may look at; it only ends the search early.
constexpr uint64_t MOST_LINKS_OF_BOUND = 4'000'000;

/// What no program can beat, headers included; none: finding it would take too long.
std::optional<SimTime>
FindBound(const ProgramSurroundings& surroundings, const ProgramWish& wish)
{
    const auto ranks = static_cast<uint32_t>(wish.ranks.size());
    const bool isExchange = wish.type == CollectiveType::AllToAll;
    if (wish.type == CollectiveType::Barrier || isExchange)
    {
        return std::nullopt;
    }
    std::vector<VertexId> members;
    for (const RankId rank : wish.ranks)
    {
        members.push_back(VertexOf(rank));
    }
    const CutGraph graph(surroundings.topology, members);
    if (EstimateFabricWork(graph, wish.type) > MOST_LINKS_OF_BOUND)
    {
        return std::nullopt;
    }
    const bool hasShards = wish.type == CollectiveType::AllGather ||
                           wish.type == CollectiveType::Gather ||
                           wish.type == CollectiveType::Scatter;
    const Bytes size = hasShards ? Bytes(wish.size.Count() / ranks) : wish.size;
    const Bytes onWire(size.Count() + size.Count() / surroundings.packet.payload.Count() *
                                          surroundings.packet.header.Count());
    const CollectiveExtent extent{wish.type, onWire, ranks};
    const std::vector<FabricLimit> limits =
        FindFabricLimits(graph, {.type = wish.type, .root = wish.root});
    return ComputeFabricTime(*FindTightestLimit(limits, extent), extent);
}

class SynthesisMaker : public ProgramMaker
{
  public:
    explicit SynthesisMaker(const Parameters& parameters)
        : m_options{.chunks = parameters.Has<std::string>("chunks")
                                  ? std::nullopt
                                  : std::optional(
                                        static_cast<uint32_t>(parameters.Get<int64_t>("chunks"))),
                    .seed = static_cast<uint64_t>(parameters.Get<int64_t>("seed")),
                    .tries = static_cast<uint32_t>(parameters.Get<int64_t>("tries"))}
    {
    }

    /// A program for 64 MiB serves 65 MiB: four classes for each doubling.
    uint64_t SizeClass(const ProgramSurroundings& /*surroundings*/,
                       const ProgramWish& wish) const override
    {
        const auto size = static_cast<uint64_t>(wish.size.Count());
        const auto bits = static_cast<int>(std::bit_width(size));
        return bits < 3 ? size : static_cast<uint64_t>(bits) << 2 | (size >> (bits - 3) & 3U);
    }

    MessageProgram Make(const ProgramSurroundings& surroundings,
                        const ProgramWish& wish) const override
    {
        SynthesisOptions options = m_options;
        options.bound = FindBound(surroundings, wish);
        SynthesisResult made = Synthesize({.topology = surroundings.topology,
                                           .routing = surroundings.routing,
                                           .packet = surroundings.packet,
                                           .endpointDelay = surroundings.endpointDelay,
                                           .reductionBandwidth = surroundings.reductionBandwidth},
                                          {.type = wish.type,
                                           .ranks = wish.ranks,
                                           .root = wish.root,
                                           .elements = static_cast<uint64_t>(wish.size.Count()),
                                           .elementBytes = 1,
                                           .options = options});
        // Every program is proven before its first message.
        const std::optional<ProgramFault> fault = FindProgramFault(made.program);
        NADI_CHECK(!fault);
        return std::move(made.program);
    }

  private:
    SynthesisOptions m_options;
};

/// A program that fits the network of the group (docs/synthesis.md).
class Synthesized : public CollectiveAlgorithm
{
  public:
    static constexpr const char* Help =
        "A program made for the network of the group: its links, their rates, and those that fail.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        const NumberRange positive{.least = 1, .isLeastAllowed = true, .most = 65536};
        const NumberRange any{.least = 0, .isLeastAllowed = true};
        return {{"chunks",
                 ParameterKind::Count,
                 "auto",
                 "Into how many chunks a shard is cut; auto: as many as are predicted to be best.",
                 {"auto"},
                 positive},
                {"seed", ParameterKind::Count, "1", "Of the choices among equals.", {}, any},
                {"tries",
                 ParameterKind::Count,
                 "4",
                 "How many seeds are tried; the program that is predicted to be fastest is taken.",
                 {},
                 positive}};
    }

    explicit Synthesized(const Parameters& parameters)
        : m_maker(parameters)
    {
    }

    bool Supports(CollectiveType /*type*/) const override
    {
        return true;
    }

    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override
    {
        NADI_CHECK(request.program != nullptr);
        return std::make_unique<ProgramPlan>(
            *request.program, request.elements, request.elementBytes);
    }

    const ProgramMaker* Programs() const override
    {
        return &m_maker;
    }

    uint32_t LinksDriven(uint32_t links) const override
    {
        return links;
    }

    /// For the estimate of the planner only, which has nothing to choose.
    uint32_t LatencySteps(CollectiveType /*type*/, uint32_t ranks) const override
    {
        return ranks > 1 ? 1 : 0;
    }

  private:
    SynthesisMaker m_maker;
};

NADI_REGISTER(CollectiveAlgorithm, Synthesized, "synthesized");

} // namespace
} // namespace nadi
