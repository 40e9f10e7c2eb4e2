// SPDX-License-Identifier: GPL-2.0-only
// What the packet network does with closed traffic that it takes over.
#include "tests/support/packet-net.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

#include <memory>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

/// A message goes to and fro between two ranks, which are its parts.
class Relay
    : public ClosedTraffic
    , private EventHandler
{
  public:
    static constexpr uint64_t LEGS = 6;

    Relay(PacketNet& net, uint32_t first, uint32_t call)
        : m_net(net)
        , m_first(first)
        , m_stream(MakeCollectiveStream(CommunicatorId{first}, call))
    {
    }

    void BeginNow()
    {
        m_number = m_net.Backend().Take(*this).value();
    }

    /// Of the message of a leg, which is on the way back if its number is odd.
    void OnDelivered(const Delivery& delivery)
    {
        const uint64_t leg = delivery.message.key.minor;
        delivered.emplace_back(delivery.sent, delivery.delivered);
        if (leg + 1 < LEGS)
        {
            SendLeg(leg + 1);
        }
        if (leg + 2 >= LEGS)
        {
            EndOf(leg % 2 == 0 ? 1 : 0);
        }
    }

    StreamId Stream() const override
    {
        return m_stream;
    }

    uint64_t Program() const override
    {
        return 1;
    }

    uint32_t PartCount() const override
    {
        return 2;
    }

    RankId RankOf(uint32_t part) const override
    {
        return RankId{m_first + part};
    }

    uint32_t PartOf(RankId rank) const override
    {
        return rank.value - m_first;
    }

    std::vector<Ends> FindEnds() override
    {
        return {{.source = 0, .destination = 1}, {.source = 1, .destination = 0}};
    }

    void Begin() override
    {
        ++begun;
        SendLeg(0);
    }

    void OnPartEnded(uint32_t part) override
    {
        ended.emplace_back(part, m_net.Loop().Now());
        rounds.push_back(m_net.Loop().Round());
    }

    void OnMessageSkipped(const Delivery& delivery) override
    {
        skipped.emplace_back(delivery.sent, delivery.delivered);
    }

    void Release() override
    {
        ++released;
    }

    bool endsLater = false; ///< in a further round of the instant
    uint32_t begun = 0;
    uint32_t released = 0;
    std::vector<std::pair<uint32_t, SimTime>> ended;
    std::vector<uint64_t> rounds; ///< in which the parts ended
    std::vector<std::pair<SimTime, SimTime>> delivered;
    std::vector<std::pair<SimTime, SimTime>> skipped;

  private:
    void EndOf(uint32_t part)
    {
        if (endsLater)
        {
            const EventOrder order{EventOrder::Kind::Timer, {m_first + part, 0, 0, 0}};
            m_net.Loop().ScheduleAt(m_net.Loop().Now(), order, *this, part);
            return;
        }
        OnEvent(part);
    }

    void OnEvent(uint64_t part) override
    {
        m_net.Backend().EndPart(m_number, static_cast<uint32_t>(part));
    }

    void SendLeg(uint64_t leg)
    {
        const auto source = static_cast<uint32_t>(leg % 2);
        Message message =
            MakeMessage(m_first + source, m_first + 1 - source, Bytes(10'000), m_stream.value);
        message.key.minor = leg;
        m_net.SendAt(m_net.Loop().Now(), message);
    }

    PacketNet& m_net;
    uint32_t m_first;
    StreamId m_stream;
    uint32_t m_number = 0;
};

/// Relays on a star. Those of the same ranks have the same communicator.
struct RelayNet
{
    explicit RelayNet(uint32_t npus, const PacketOptions& options = {})
        : net(MakeStar(npus, RATE, LATENCY), options)
    {
        net.SetHook(
            [this](const Delivery& delivery)
            {
                for (const auto& relay : relays)
                {
                    if (relay->Stream() == delivery.message.stream)
                    {
                        relay->OnDelivered(delivery);
                    }
                }
            });
    }

    Relay& Add(uint32_t first)
    {
        relays.push_back(std::make_unique<Relay>(net, first, static_cast<uint32_t>(relays.size())));
        return *relays.back();
    }

    PacketNet net;
    std::vector<std::unique_ptr<Relay>> relays;
};

/// Begins a relay at some time.
class Starter : public EventHandler
{
  public:
    Starter(PacketNet& net, Relay& relay, SimTime at)
        : m_relay(relay)
    {
        net.Loop().ScheduleAt(at, {EventOrder::Kind::Timer, {0, 0, 0, 0}}, *this, 0);
    }

    void OnEvent(uint64_t) override
    {
        m_relay.BeginNow();
    }

  private:
    Relay& m_relay;
};

} // namespace

TEST_CASE("Memo: traffic that begins with its like ends in the same round, and is never begun",
          "[component][packet][memo]")
{
    const bool endsLater = GENERATE(false, true);
    const std::vector<uint64_t> rounds(2, endsLater ? 1 : 0);
    // The second relay has lower ranks than the first, and then higher ones.
    for (const auto& [first, second] : {std::pair(2U, 0U), std::pair(0U, 2U)})
    {
        CAPTURE(first, endsLater);
        RelayNet network(4);
        Relay& live = network.Add(first);
        Relay& answered = network.Add(second);
        live.endsLater = endsLater;
        answered.endsLater = endsLater;
        live.BeginNow();
        answered.BeginNow();
        network.net.Run();
        const NetworkTotals totals = network.net.Backend().ReadTotals();
        CHECK(totals.memoMessages == 2 * Relay::LEGS);
        CHECK(totals.memoSkipped == Relay::LEGS);
        CHECK(live.begun + answered.begun == 1);
        CHECK(live.ended.size() == 2);
        CHECK(live.ended == answered.ended);
        CHECK(live.rounds == rounds);
        CHECK(answered.rounds == rounds);
        const Relay& simulated = live.begun == 1 ? live : answered;
        const Relay& skipped = live.begun == 1 ? answered : live;
        CHECK(simulated.delivered.size() == Relay::LEGS);
        CHECK(skipped.skipped == simulated.delivered);
        CHECK(simulated.skipped.empty());
        CHECK(live.released == 1);
        CHECK(answered.released == 1);
    }
}

TEST_CASE("Memo: traffic that comes again has the times of the first, counted from its begin",
          "[component][packet][memo]")
{
    const bool endsLater = GENERATE(false, true);
    RelayNet network(4);
    Relay& first = network.Add(0);
    Relay& later = network.Add(2);
    first.endsLater = endsLater;
    const SimTime begin = SimTime::FromUs(100);
    first.BeginNow();
    const Starter starter(network.net, later, begin);
    network.net.Run();
    CHECK(first.begun == 1);
    CHECK(later.begun == 0);
    REQUIRE(later.skipped.size() == Relay::LEGS);
    for (size_t leg = 0; leg < Relay::LEGS; ++leg)
    {
        CHECK(later.skipped[leg].first == first.delivered[leg].first + begin);
        CHECK(later.skipped[leg].second == first.delivered[leg].second + begin);
    }
    CHECK(later.rounds == first.rounds);
    CHECK(later.ended.back().second == first.ended.back().second + begin);
}

TEST_CASE("Memo: traffic that meets something new is begun after all, and ends once",
          "[component][packet][memo]")
{
    // While the second relay is answered, a message crosses its way.
    const auto run = [](bool hasMessage)
    {
        RelayNet network(4);
        Relay& first = network.Add(0);
        Relay& second = network.Add(0);
        first.BeginNow();
        const Starter starter(network.net, second, SimTime::FromUs(100));
        if (hasMessage)
        {
            // A leg takes longer than the latency of two links, so this is none of the last.
            network.net.SendAt(SimTime::FromUs(100) + LATENCY * 4,
                               MakeMessage(3, 1, Bytes(500'000)));
        }
        network.net.Run();
        CHECK(second.begun == (hasMessage ? 1 : 0));
        CHECK(second.released == 1);
        CHECK(second.ended.size() == 2);
        CHECK(second.delivered.size() + second.skipped.size() == Relay::LEGS);
        return second.ended.back().second;
    };
    CHECK(run(true) > run(false));
}

TEST_CASE("Memo: traffic that is through is forgotten, though its period goes on",
          "[component][packet][memo]")
{
    // A message that crosses the way of all relays lasts longer than they do, and nothing is
    // recorded where the memo may keep nothing.
    PacketOptions options;
    options.memoWords = 1;
    RelayNet network(4, options);
    network.net.SendAt(SimTime(), MakeMessage(3, 1, Bytes(50'000'000)));
    std::vector<std::unique_ptr<Starter>> starters;
    constexpr int64_t RELAYS = 5;
    for (int64_t i = 1; i <= RELAYS; ++i)
    {
        Relay& relay = network.Add(0);
        starters.push_back(std::make_unique<Starter>(network.net, relay, SimTime::FromUs(50 * i)));
    }
    network.net.SetHook(
        [&](const Delivery& delivery)
        {
            for (const auto& relay : network.relays)
            {
                if (relay->Stream() == delivery.message.stream)
                {
                    relay->OnDelivered(delivery);
                }
            }
            // The one under way, and one that has ended at this instant.
            CHECK(network.net.Backend().TakenCount() <= 2);
        });
    network.net.Run();
    for (const auto& relay : network.relays)
    {
        CHECK(relay->delivered.size() == Relay::LEGS);
        CHECK(relay->released == 1);
    }
    REQUIRE(network.net.Delivered(0).has_value());
    CHECK(*network.net.Delivered(0) > network.relays.back()->ended.back().second);
}
