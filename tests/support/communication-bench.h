// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/hash.h"
#include "network/dimension.h"
#include "system/collective-engine.h"
#include "system/collective-plan.h"
#include "system/delivery-switch.h"
#include "system/library/communication-library.h"
#include "system/point-to-point.h"
#include "system/system-options.h"
#include "tests/support/fixed-delay-backend.h"
#include "tests/support/manual-event-loop.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

/// The system layer's communication over the fakes: calls are made at chosen times, completions
/// and records are kept.
class CommunicationBench
    : private OperationListener
    , private CollectiveObserver
    , private PointToPointObserver
    , private EventHandler
{
  public:
    struct Setup
    {
        std::vector<Dimension> stack;
        std::vector<Communicator> communicators; ///< besides that of all ranks, which is the first
        SystemOptions options;
        SimTime latency = SimTime::FromNs(500);
        Bandwidth bandwidth = Bandwidth::FromBytesPerSecond(1'000'000'000);
    };

    struct Completion
    {
        uint32_t count = 0;
        SimTime at;
    };

    explicit CommunicationBench(Setup setup)
        : m_setup(WithAllRanks(std::move(setup)))
        , m_network(m_loop, RankCount(), m_setup.latency, m_setup.bandwidth)
        , m_library(InstallLibrary({m_setup.options, m_setup.stack}))
        , m_collectives({.loop = m_loop,
                         .network = m_network,
                         .stack = m_setup.stack,
                         .communicators = m_setup.communicators,
                         .options = m_setup.options,
                         .library = *m_library,
                         .listener = *this})
        , m_pointToPoint(m_loop, m_network, m_library->PointToPointProtocol(), RankCount(), *this)
        , m_switch(m_collectives, m_pointToPoint)
    {
        m_network.SetListener(m_switch);
        m_collectives.SetObserver(*this);
        m_pointToPoint.SetObserver(*this);
    }

    uint32_t RankCount() const
    {
        return static_cast<uint32_t>(m_setup.communicators.front().ranks.size());
    }

    /// The call is made at `at`; its completion is found under (rank, token).
    void CallAt(SimTime at, const CollectiveCall& call)
    {
        CallLater(at, call.rank, [this, call] { m_collectives.Start(call); });
    }

    void CallAt(SimTime at, const PointToPointCall& call)
    {
        CallLater(at, call.rank, [this, call] { m_pointToPoint.Start(call); });
    }

    /// Looks at something while the run goes on, after all else of the round.
    void At(SimTime at, const std::function<void()>& look)
    {
        CallLater(at, RankId{UINT32_MAX}, look);
    }

    void Run()
    {
        m_loop.Run();
    }

    Completion CompletionOf(uint32_t rank, uint64_t token) const
    {
        const auto found = m_completions.find({rank, token});
        return found == m_completions.end() ? Completion{} : found->second;
    }

    size_t CompletionCount() const
    {
        return m_completions.size();
    }

    const std::vector<CollectiveRecord>& Records() const
    {
        return m_records;
    }

    /// Of every delivery and completion.
    const Digest& Fingerprint() const
    {
        return m_digest;
    }

    /// The most that was in progress at any delivery.
    const CollectiveUsage& PeakUsage() const
    {
        return m_peak;
    }

    /// By receive's token: when the send that it met was issued.
    const std::map<uint64_t, SimTime>& MatchedReceives() const
    {
        return m_matched;
    }

    const std::vector<Communicator>& Communicators() const
    {
        return m_setup.communicators;
    }

    const CollectiveEngine& Collectives() const
    {
        return m_collectives;
    }

    const PointToPoint& Messages() const
    {
        return m_pointToPoint;
    }

    const FixedDelayBackend& Network() const
    {
        return m_network;
    }

    const ManualEventLoop& Loop() const
    {
        return m_loop;
    }

  private:
    static Setup WithAllRanks(Setup setup)
    {
        uint32_t ranks = 1;
        for (const Dimension& dimension : setup.stack)
        {
            ranks *= dimension.size;
        }
        Communicator all;
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            all.ranks.push_back(RankId{rank});
        }
        setup.communicators.insert(setup.communicators.begin(), all);
        for (uint32_t id = 0; id < setup.communicators.size(); ++id)
        {
            setup.communicators[id].id = CommunicatorId{id};
        }
        return setup;
    }

    void CallLater(SimTime at, RankId rank, const std::function<void()>& call)
    {
        const uint64_t index = m_calls.size();
        m_calls.push_back(call);
        const EventOrder order{.kind = EventOrder::Kind::Timer,
                               .identity = {rank.value, 0, index, 0}};
        m_loop.ScheduleAt(at, order, *this, index);
    }

    void OnEvent(uint64_t token) override
    {
        m_calls[token]();
    }

    void OnOperationCompleted(RankId rank, uint64_t token) override
    {
        Completion& completion = m_completions[{rank.value, token}];
        ++completion.count;
        completion.at = m_loop.Now();
        m_digest.Add({1, rank.value, token, Now()});
    }

    void OnCollectiveCompleted(const CollectiveRecord& record) override
    {
        m_records.push_back(record);
    }

    void OnMessageCompleted(const Delivery& delivery) override
    {
        const Message& message = delivery.message;
        m_digest.Add({2,
                      message.stream.value,
                      message.key.major,
                      message.key.minor,
                      message.source.value,
                      message.destination.value,
                      Now()});
        const CollectiveUsage usage = m_collectives.Usage();
        m_peak.phases = std::max(m_peak.phases, usage.phases);
        m_peak.lanes = std::max(m_peak.lanes, usage.lanes);
        m_peak.arrivals = std::max(m_peak.arrivals, usage.arrivals);
        m_peak.held = std::max(m_peak.held, usage.held);
    }

    void OnReceiveMatched(const PointToPointCall&,
                          const PointToPointCall& receive,
                          SimTime sendIssued) override
    {
        m_matched[receive.token] = sendIssued;
    }

    uint64_t Now() const
    {
        return static_cast<uint64_t>(m_loop.Now().Ps());
    }

    Setup m_setup;
    ManualEventLoop m_loop;
    FixedDelayBackend m_network;
    std::unique_ptr<InstalledLibrary> m_library;
    CollectiveEngine m_collectives;
    PointToPoint m_pointToPoint;
    DeliverySwitch m_switch;
    std::deque<std::function<void()>> m_calls;
    std::map<std::pair<uint32_t, uint64_t>, Completion> m_completions;
    std::vector<CollectiveRecord> m_records;
    std::map<uint64_t, SimTime> m_matched;
    CollectiveUsage m_peak;
    Digest m_digest;
};

/// A dimension with the fake network's figures.
inline Dimension
MakeDimension(const std::string& shape, uint32_t size)
{
    return {.shape = shape,
            .size = size,
            .bandwidth = Bandwidth::FromBytesPerSecond(1'000'000'000),
            .latency = SimTime::FromNs(500)};
}

/// The same algorithm for every type and dimension; types that it does not support have their
/// defaults.
inline SystemOptions
MakeOptions(const std::string& algorithm, const std::vector<Dimension>& stack)
{
    SystemOptions options;
    for (const CollectiveType type : AllCollectiveTypes())
    {
        const bool isSupported =
            Registry<CollectiveAlgorithm>::Instance().Make(algorithm)->Supports(type);
        AlgorithmChoice choice;
        for (const Dimension& dimension : stack)
        {
            const auto shape = MakeShape(dimension.shape, "");
            choice.perDimension.push_back(isSupported ? ComponentChoice{algorithm, {}}
                                                      : DefaultAlgorithm(type, *shape));
        }
        options.algorithms[type] = choice;
    }
    return options;
}

} // namespace nadi::test
