// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "tests/support/short-times.h"
#include "workload/engine/activity-meter.h"
#include "workload/engine/communication-meter.h"

#include <catch2/catch.hpp>

#include <map>

using namespace nadi;

TEST_CASE("ActivityMeter: overlapping intervals count once", "[unit][workload]")
{
    ActivityMeter meter;
    meter.BeginCompute(Ns(10));
    meter.BeginCompute(Ns(20));
    meter.EndCompute(Ns(40));
    meter.EndCompute(Ns(50));
    const RankMetrics metrics = meter.Read();
    CHECK(metrics.compute == Ns(50 - 10));
    CHECK(metrics.idle == Ns(10));
    CHECK(metrics.finish == Ns(50));
}

TEST_CASE("ActivityMeter: communication is exposed where no compute covers it", "[unit][workload]")
{
    ActivityMeter meter;
    meter.BeginCommunication(Ns(0)); // 0..30
    meter.BeginCompute(Ns(10));      // 10..20
    meter.EndCompute(Ns(20));
    meter.BeginCommunication(Ns(25)); // 25..60
    meter.EndCommunication(Ns(30));
    meter.BeginCompute(Ns(50)); // 50..80
    meter.EndCommunication(Ns(60));
    meter.EndCompute(Ns(80));
    const RankMetrics metrics = meter.Read();
    CHECK(metrics.communication == Ns(60));
    CHECK(metrics.compute == Ns(10 + 30));
    CHECK(metrics.exposedCommunication == Ns((10 - 0) + (50 - 20)));
    CHECK(metrics.idle == SimTime());
}

TEST_CASE("ActivityMeter: accesses to memory are compute, and told apart where no kernel runs",
          "[unit][workload]")
{
    ActivityMeter meter;
    meter.BeginAccess(Ns(10)); // 10..40
    meter.BeginAccess(Ns(15)); // 15..20
    meter.EndAccess(Ns(20));
    meter.BeginCompute(Ns(30)); // 30..60
    meter.EndAccess(Ns(40));
    meter.BeginAccess(Ns(50)); // 50..75
    meter.EndCompute(Ns(60));
    meter.EndAccess(Ns(75));
    const RankMetrics metrics = meter.Read();
    CHECK(metrics.compute == Ns(75 - 10));
    CHECK(metrics.memoryAlone == Ns((30 - 10) + (75 - 60)));
}

TEST_CASE("ActivityMeter: a touch moves the finish and leaves the span idle", "[unit][workload]")
{
    ActivityMeter meter;
    meter.Touch(Ns(7));
    CHECK(meter.Read().finish == Ns(7));
    CHECK(meter.Read().idle == Ns(7));
}

namespace
{

/// Keeps what it is told, and checks that it comes without gaps.
class ActivityLog : public ActivityObserver
{
  public:
    void OnActivity(RankId rank, Activity activity, SimTime start, SimTime end) override
    {
        CHECK(rank == RankId{3});
        CHECK(start == m_end);
        CHECK(end > start);
        m_end = end;
        m_sums[activity] += end - start;
    }

    SimTime Sum(Activity activity)
    {
        return m_sums[activity];
    }

  private:
    SimTime m_end;
    std::map<Activity, SimTime> m_sums;
};

} // namespace

TEST_CASE("ActivityMeter: it tells where the time goes, and reading tells nothing",
          "[unit][workload]")
{
    ActivityLog log;
    ActivityMeter meter;
    meter.ReportTo(log, RankId{3});
    meter.BeginCommunication(Ns(5));
    meter.BeginCompute(Ns(20));
    meter.EndCompute(Ns(30));
    meter.Touch(Ns(30));
    CHECK(meter.ReadAt(Ns(33)).exposedCommunication == Ns(20 - 5 + 3));
    meter.EndCommunication(Ns(36));
    meter.Touch(Ns(40));
    const RankMetrics metrics = meter.Read();
    CHECK(log.Sum(Activity::Compute) == metrics.compute);
    CHECK(log.Sum(Activity::ExposedCommunication) == metrics.exposedCommunication);
    CHECK(log.Sum(Activity::Idle) == metrics.idle);
    CHECK(metrics.idle == Ns(5 + 4));
}

TEST_CASE("ActivityMeter: what ends must have begun, and time does not go back", "[unit][workload]")
{
    ActivityMeter meter;
    CHECK_THROWS_AS(meter.EndCompute(Ns(1)), CheckFailure);
    CHECK_THROWS_AS(meter.EndCommunication(Ns(1)), CheckFailure);
    CHECK_THROWS_AS(meter.Touch(Ns(0)), CheckFailure);
}

TEST_CASE("ActivityMeter: its clock outside of compute stands still while something computes",
          "[unit][workload]")
{
    ActivityMeter meter;
    meter.BeginCompute(Ns(10));
    CHECK(meter.ClockAt(Ns(10)).outsideCompute == Ns(10));
    CHECK(meter.ClockAt(Ns(25)).outsideCompute == Ns(10));
    meter.EndCompute(Ns(30));
    CHECK(meter.ClockAt(Ns(42)).outsideCompute == Ns(10 + 42 - 30));
    CHECK(meter.ClockAt(Ns(42)).now == Ns(42));
}

TEST_CASE("CommunicationMeter: calls of a kind that overlap count once", "[unit][workload]")
{
    const CommunicationKind kind{CollectiveType::AllToAll, CommunicatorId{3}};
    CommunicationMeter meter;
    meter.Begin(kind, Bytes(5), {Ns(10), Ns(10)});
    meter.Begin(kind, Bytes(6), {Ns(20), Ns(20)}); // compute from 20 to 25
    meter.End(kind, {Ns(30), Ns(25)});
    meter.End(kind, {Ns(50), Ns(45)});
    const auto totals = meter.TotalsAt({Ns(60), Ns(55)});
    REQUIRE(totals.size() == 1);
    CHECK(totals[0].kind == kind);
    CHECK(totals[0].calls == 2);
    CHECK(totals[0].size == Bytes(11));
    CHECK(totals[0].inProgress == Ns(50 - 10));
    CHECK(totals[0].exposed == Ns(45 - 10));
}

TEST_CASE("CommunicationMeter: a moment counts once, for the kind that is longest in progress",
          "[unit][workload]")
{
    const CommunicationKind gather{CollectiveType::AllGather, CommunicatorId{0}};
    const CommunicationKind reduce{CollectiveType::AllReduce, CommunicatorId{0}};
    CommunicationMeter meter;
    meter.Begin(reduce, Bytes(1), {Ns(10), Ns(10)});
    meter.Begin(gather, Bytes(1), {Ns(20), Ns(20)}); // compute from 30 to 35
    meter.End(reduce, {Ns(40), Ns(35)});             // from here on, gather is the longest
    meter.Begin(reduce, Bytes(1), {Ns(45), Ns(40)});
    meter.End(gather, {Ns(60), Ns(55)});
    const auto totals = meter.TotalsAt({Ns(70), Ns(65)}); // reduce is still in progress
    REQUIRE(totals.size() == 2);
    const CommunicationTotal& ofGather = totals[totals[0].kind == gather ? 0 : 1];
    const CommunicationTotal& ofReduce = totals[totals[0].kind == gather ? 1 : 0];
    CHECK(ofReduce.inProgressOnce == Ns((40 - 10) + (70 - 60)));
    CHECK(ofReduce.exposedOnce == Ns((35 - 10) + (65 - 55)));
    CHECK(ofGather.inProgressOnce == Ns(60 - 40));
    CHECK(ofGather.exposedOnce == Ns(55 - 35));
    CHECK(ofReduce.exposedOnce + ofGather.exposedOnce == Ns(65 - 10)); // without a gap
    CHECK(ofGather.exposed == Ns(55 - 20));
}

TEST_CASE("CommunicationMeter: what is in progress counts up to the look at it", "[unit][workload]")
{
    CommunicationMeter meter;
    meter.Begin({}, Bytes(1), {Ns(10), Ns(8)});
    CHECK(meter.TotalsAt({Ns(15), Ns(9)}).at(0).inProgress == Ns(5));
    CHECK(meter.TotalsAt({Ns(15), Ns(9)}).at(0).exposed == Ns(1));
    meter.BeginWait(7, {Ns(15), Ns(9)});
    CHECK(meter.WaitingAt({Ns(16), Ns(10)}) == Ns(1));
}

TEST_CASE("CommunicationMeter: a moment of waiting counts once, for the first of the open waits",
          "[unit][workload]")
{
    CommunicationMeter meter;
    meter.BeginWait(9, {Ns(0), Ns(0)});
    meter.BeginWait(2, {Ns(10), Ns(10)});
    meter.BeginWait(5, {Ns(12), Ns(12)});
    CHECK(meter.EndWait(2, {Ns(20), Ns(20)}) == Ns(0));  // all the while 9 was the first
    CHECK(meter.EndWait(9, {Ns(30), Ns(20)}) == Ns(20)); // 10 of the 30 were compute
    CHECK(meter.EndWait(5, {Ns(50), Ns(40)}) == Ns(40 - 20));
    CHECK(meter.WaitingAt({Ns(90), Ns(80)}) == Ns(20 + 20));
    CHECK_THROWS_AS(meter.EndWait(2, {Ns(90), Ns(80)}), CheckFailure);
}
