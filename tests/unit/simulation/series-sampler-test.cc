// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "simulation/series-sampler.h"
#include "tests/support/manual-event-loop.h"
#include "tests/support/packet-net.h"
#include "tests/support/scripted-links.h"
#include "tests/support/short-times.h"

#include <catch2/catch.hpp>

#include <functional>
#include <utility>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

const SimTime PICOSECOND = SimTime::FromPs(1);
const SimTime INTERVAL = Us(10);
const Bandwidth RATE = Bandwidth::FromBytesPerSecond(1'000'000'000);
constexpr int64_t CAPACITY = 10'000; // bytes that a link of RATE carries in an INTERVAL

/// Links whose counters change when a test says so, and a sampler that looks at them.
class SamplerBench : private EventHandler
{
  public:
    explicit SamplerBench(SimTime interval = INTERVAL)
        : m_topology(MakeLine(2, RATE, Us(1)))
        , m_network(m_topology.LinkCount())
        , m_sampler(m_loop, m_network, m_topology, interval)
    {
    }

    /// Changes the counters of a link at `at`, which is progress.
    void ChangeAt(SimTime at, uint32_t link, std::function<void(LinkCounters&)> change)
    {
        const uint64_t place = m_changes.size();
        m_changes.emplace_back(link, std::move(change));
        m_loop.ScheduleAt(at, {EventOrder::Kind::Timer, {place, 0, 0, 0}}, *this, place);
    }

    void CarryAt(SimTime at, uint32_t link, int64_t bytes)
    {
        ChangeAt(at, link, [bytes](LinkCounters& counters) { counters.bytes += Bytes(bytes); });
    }

    /// Something happens then, but not on a link.
    void KeepGoingUntil(SimTime at)
    {
        CarryAt(at, 0, 0);
    }

    std::vector<SeriesSample> Run()
    {
        m_loop.Run();
        return m_sampler.TakeSamples();
    }

  private:
    void OnEvent(uint64_t place) override
    {
        const auto& [link, change] = m_changes[place];
        change(m_network.links[link]);
    }

    ManualEventLoop m_loop;
    Topology m_topology;
    ScriptedLinks m_network;
    SeriesSampler m_sampler;
    std::vector<std::pair<uint32_t, std::function<void(LinkCounters&)>>> m_changes;
};

} // namespace

TEST_CASE("SeriesSampler: a row covers what came after the last sample, its own instant included",
          "[unit][simulation]")
{
    SamplerBench bench;
    bench.CarryAt(Us(1), 0, 2'000);
    bench.CarryAt(Us(10), 0, 3'000);
    bench.CarryAt(Us(10) + PICOSECOND, 0, 1'000);
    bench.KeepGoingUntil(Us(20));
    const std::vector<SeriesSample> rows = bench.Run();
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].time == Us(10));
    CHECK(rows[0].utilization == Approx(5'000.0 / CAPACITY));
    CHECK(rows[1].time == Us(20));
    CHECK(rows[1].utilization == Approx(1'000.0 / CAPACITY));
}

TEST_CASE("SeriesSampler: the queue is that of the moment, pauses and marks are of the interval",
          "[unit][simulation]")
{
    SamplerBench bench;
    for (const int64_t us : {5, 15})
    {
        bench.ChangeAt(Us(us),
                       1,
                       [us](LinkCounters& counters)
                       {
                           counters.queue = Bytes(100 * us);
                           counters.paused += Us(us - 4);
                           counters.ecnMarks += static_cast<uint64_t>(us);
                       });
    }
    bench.KeepGoingUntil(Us(20));
    const std::vector<SeriesSample> rows = bench.Run();
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].link == LinkId{1});
    CHECK(rows[0].queue == Bytes(500));
    CHECK(rows[0].paused == Us(1));
    CHECK(rows[0].ecnMarks == 5);
    CHECK(rows[1].queue == Bytes(1500));
    CHECK(rows[1].paused == Us(11));
    CHECK(rows[1].ecnMarks == 15);
}

TEST_CASE("SeriesSampler: rows come by time, then by link, and none where nothing was",
          "[unit][simulation]")
{
    SamplerBench bench;
    bench.CarryAt(Us(5), 1, 1);
    bench.CarryAt(Us(6), 0, 1);
    bench.CarryAt(Us(35), 1, 1);
    bench.KeepGoingUntil(Us(40));
    std::vector<std::pair<SimTime, LinkId>> seen;
    for (const SeriesSample& row : bench.Run())
    {
        seen.emplace_back(row.time, row.link);
    }
    const std::vector<std::pair<SimTime, LinkId>> expected{
        {Us(10), LinkId{0}}, {Us(10), LinkId{1}}, {Us(40), LinkId{1}}};
    CHECK(seen == expected);
}

TEST_CASE("SeriesSampler: any one number that is not zero makes a row", "[unit][simulation]")
{
    using Change = std::function<void(LinkCounters&)>;
    const auto [change, rows] =
        GENERATE(table<Change, size_t>({{[](LinkCounters& c) { c.bytes = Bytes(1); }, 1},
                                        {[](LinkCounters& c) { c.queue = Bytes(1); }, 1},
                                        {[](LinkCounters& c) { c.paused = PICOSECOND; }, 1},
                                        {[](LinkCounters& c) { c.ecnMarks = 1; }, 1},
                                        {[](LinkCounters& c) { c.maxQueue = Bytes(1); }, 0}}));
    SamplerBench bench;
    bench.ChangeAt(Us(5), 0, change);
    bench.KeepGoingUntil(Us(10));
    CHECK(bench.Run().size() == rows);
}

TEST_CASE("SeriesSampler: does not keep the run going for a last row", "[unit][simulation]")
{
    SamplerBench bench;
    bench.CarryAt(Us(9), 0, 1);
    bench.CarryAt(Us(19), 0, 1);
    const std::vector<SeriesSample> rows = bench.Run();
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].time == Us(10));
}

TEST_CASE("SeriesSampler: an interval that leads past the clock is not sampled",
          "[unit][simulation]")
{
    const SimTime most = SimTime::Max();
    const int64_t intervals = GENERATE(int64_t{1}, int64_t{2});
    const SimTime interval = SimTime::FromPs(most.Ps() / intervals);
    SamplerBench bench(interval);
    bench.CarryAt(Us(1), 0, 1);
    bench.KeepGoingUntil(most);
    CHECK(bench.Run().size() == 1); // Max() / 2 leaves one picosecond after the second
}

TEST_CASE("SeriesSampler: refuses an interval without length", "[unit][simulation]")
{
    CHECK_THROWS_AS(SamplerBench(SimTime()), CheckFailure);
}

TEST_CASE("SeriesSampler: shows the rate of a packet network", "[unit][simulation]")
{
    // Frames of 1000 bytes, 1 us each: the tenth ends at 10 us exactly and counts there.
    PacketOptions options;
    options.payload = Bytes(936);
    options.header = Bytes(64);
    PacketNet net(MakeLine(2, RATE, Us(1)), options);
    SeriesSampler sampler(net.Loop(), net.Backend(), net.GetTopology(), INTERVAL);
    net.SendAt(SimTime(), {VertexId{0}, VertexId{1}, Bytes(25 * 936), POINT_TO_POINT_STREAM, {}});
    // Nothing but the acknowledgement happens at 30 us: this keeps the run going until there.
    net.SendAt(Us(30), {VertexId{1}, VertexId{0}, Bytes(0), POINT_TO_POINT_STREAM, {}});
    net.Run();
    std::vector<double> forth;
    double back = 0;
    for (const SeriesSample& row : sampler.TakeSamples())
    {
        if (row.link == LinkId{0})
        {
            forth.push_back(row.utilization);
        }
        else if (row.time == Us(30))
        {
            back = row.utilization;
        }
    }
    REQUIRE(forth.size() == 3);
    CHECK(forth[0] == Approx(1));
    CHECK(forth[1] == Approx(1));
    CHECK(forth[2] == Approx(0.5));
    CHECK(back == Approx(64.0 / CAPACITY)); // the acknowledgement
}
