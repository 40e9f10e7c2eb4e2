// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/slow-halving.h"

#include "common/registry.h"
#include "common/unit-parser.h"
#include "network/stack-topology.h"
#include "simulation/notes/replaced-algorithms.h"
#include "system/collective-plan.h"
#include "system/communicator.h"

#include <fmt/format.h>

#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace nadi
{

namespace
{

constexpr const char* HALVING = "halving-doubling";
constexpr double CLEARLY = 1.1; // less is within what the formula leaves out

/// What both algorithms are expected to take, as a call of one dimension in one chunk.
struct Forecast
{
    SimTime halving;
    SimTime ring;

    double Gain() const
    {
        return static_cast<double>(halving.Ps()) / static_cast<double>(ring.Ps());
    }
};

class HalvingJudge
{
  public:
    explicit HalvingJudge(const RunInput& input)
        : m_input(input)
        , m_stack(SizesOf(input.Stack()))
        , m_halving(Registry<CollectiveAlgorithm>::Instance().Make({HALVING, {}}))
        , m_ring(Registry<CollectiveAlgorithm>::Instance().Make({"ring", {}}))
    {
    }

    /// None: the call ran otherwise, over several dimensions, or over a power of two.
    std::optional<Forecast> Judge(const CollectiveRecord& record)
    {
        const bool isShardwise = record.type == CollectiveType::AllReduce ||
                                 record.type == CollectiveType::ReduceScatter ||
                                 record.type == CollectiveType::AllGather;
        if (!isShardwise || std::has_single_bit(record.ranks) ||
            record.decision.algorithm != HALVING || !IsDefault(record.type))
        {
            return std::nullopt;
        }
        const std::optional<uint32_t> dimension = DimensionOf(record.communicator);
        if (!dimension)
        {
            return std::nullopt;
        }
        const Dimension& along = m_input.Stack()[*dimension];
        return Forecast{.halving = TimeOf(*m_halving, record, along),
                        .ring = TimeOf(*m_ring, record, along)};
    }

  private:
    /// A job may have millions of calls, so each answer is found once.
    bool IsDefault(CollectiveType type)
    {
        const auto [known, isNew] = m_areDefault.try_emplace(type);
        if (isNew)
        {
            known->second = IsDefaultChoice(m_input, type);
        }
        return known->second;
    }

    /// The one of the stack in which its members differ; none: several, or no whole one.
    std::optional<uint32_t> DimensionOf(CommunicatorId communicator)
    {
        const auto [known, isNew] = m_dimensions.try_emplace(communicator);
        if (isNew)
        {
            const CommunicatorLayout layout(
                m_input.Workload().communicators[communicator.value], m_stack, m_input.Places());
            if (layout.Dimensions().size() == 1)
            {
                known->second = layout.Dimensions().front().stackDimension;
            }
        }
        return known->second;
    }

    SimTime TimeOf(const CollectiveAlgorithm& algorithm,
                   const CollectiveRecord& record,
                   const Dimension& along) const
    {
        constexpr int64_t linksOfWay = 2; // by the switch
        const SimTime step =
            along.latency * linksOfWay + m_input.Config().system.options.endpointDelay;
        return BytesOf(algorithm, record) / along.bandwidth +
               step * algorithm.LatencySteps(record.type, record.ranks);
    }

    /// The gathering half of an all-reduce waits for the member that was last in the other half. So
    /// both halves count with their busiest members, though these are others.
    static Bytes BytesOf(const CollectiveAlgorithm& algorithm, const CollectiveRecord& record)
    {
        const uint32_t ranks = record.ranks;
        if (record.type != CollectiveType::AllReduce)
        {
            return algorithm.BusiestPort(record.type, record.size, ranks);
        }
        const Bytes shard(record.size.Count() / ranks);
        return algorithm.BusiestPort(CollectiveType::ReduceScatter, record.size, ranks) +
               algorithm.BusiestPort(CollectiveType::AllGather, shard, ranks);
    }

    const RunInput& m_input;
    RankGrid m_stack;
    std::unique_ptr<CollectiveAlgorithm> m_halving;
    std::unique_ptr<CollectiveAlgorithm> m_ring;
    std::map<CommunicatorId, std::optional<uint32_t>> m_dimensions;
    std::map<CollectiveType, bool> m_areDefault;
};

std::string
DescribeSlowHalving(const CollectiveRecord& record, const Forecast& forecast)
{
    return fmt::format(
        "{} of {} over {} ranks ran {}, the default on a switch; {} is no power of two, so some "
        "rank receives more than with ring, which is expected to be {:.1f} times as fast: write "
        "system.collectives.{}: ring",
        ToText(record.type),
        ToRoundedText(record.size),
        record.ranks,
        HALVING,
        record.ranks,
        forecast.Gain(),
        ToText(record.type));
}

} // namespace

std::vector<std::string>
FindSlowHalving(const RunInput& input, const RunResults& results)
{
    HalvingJudge judge(input);
    // Of each type the call that would gain most.
    std::map<CollectiveType, std::pair<double, std::string>> slowest;
    for (const CollectiveResult& result : results.collectives)
    {
        const std::optional<Forecast> forecast = judge.Judge(result.record);
        if (!forecast || forecast->Gain() < CLEARLY)
        {
            continue;
        }
        auto& [gain, sentence] = slowest[result.record.type];
        if (forecast->Gain() > gain)
        {
            gain = forecast->Gain();
            sentence = DescribeSlowHalving(result.record, *forecast);
        }
    }
    std::vector<std::string> sentences;
    for (auto& [type, found] : slowest)
    {
        sentences.push_back(std::move(found.second));
    }
    return sentences;
}

} // namespace nadi
