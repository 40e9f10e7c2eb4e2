// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "workload/engine/activity-meter.h"
#include "workload/engine/communication-meter.h"

#include <catch2/catch.hpp>

#include <map>

using namespace nadi;

namespace
{

SimTime
At(int64_t ns)
{
    return SimTime::FromNs(ns);
}

} // namespace

TEST_CASE("ActivityMeter: overlapping intervals count once", "[unit][workload]")
{
    ActivityMeter meter;
    meter.BeginCompute(At(10));
    meter.BeginCompute(At(20));
    meter.EndCompute(At(40));
    meter.EndCompute(At(50));
    const RankMetrics metrics = meter.Read();
    CHECK(metrics.compute == At(50 - 10));
    CHECK(metrics.idle == At(10));
    CHECK(metrics.finish == At(50));
}

TEST_CASE("ActivityMeter: communication is exposed where no compute covers it", "[unit][workload]")
{
    ActivityMeter meter;
    meter.BeginCommunication(At(0)); // 0..30
    meter.BeginCompute(At(10));      // 10..20
    meter.EndCompute(At(20));
    meter.BeginCommunication(At(25)); // 25..60
    meter.EndCommunication(At(30));
    meter.BeginCompute(At(50)); // 50..80
    meter.EndCommunication(At(60));
    meter.EndCompute(At(80));
    const RankMetrics metrics = meter.Read();
    CHECK(metrics.communication == At(60));
    CHECK(metrics.compute == At(10 + 30));
    CHECK(metrics.exposedCommunication == At((10 - 0) + (50 - 20)));
    CHECK(metrics.idle == SimTime());
}

TEST_CASE("ActivityMeter: a touch moves the finish and leaves the span idle", "[unit][workload]")
{
    ActivityMeter meter;
    meter.Touch(At(7));
    CHECK(meter.Read().finish == At(7));
    CHECK(meter.Read().idle == At(7));
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
    meter.BeginCommunication(At(5));
    meter.BeginCompute(At(20));
    meter.EndCompute(At(30));
    meter.Touch(At(30));
    CHECK(meter.ReadAt(At(33)).exposedCommunication == At(20 - 5 + 3));
    meter.EndCommunication(At(36));
    meter.Touch(At(40));
    const RankMetrics metrics = meter.Read();
    CHECK(log.Sum(Activity::Compute) == metrics.compute);
    CHECK(log.Sum(Activity::ExposedCommunication) == metrics.exposedCommunication);
    CHECK(log.Sum(Activity::Idle) == metrics.idle);
    CHECK(metrics.idle == At(5 + 4));
}

TEST_CASE("ActivityMeter: what ends must have begun, and time does not go back", "[unit][workload]")
{
    ActivityMeter meter;
    CHECK_THROWS_AS(meter.EndCompute(At(1)), CheckFailure);
    CHECK_THROWS_AS(meter.EndCommunication(At(1)), CheckFailure);
    CHECK_THROWS_AS(meter.Touch(At(0)), CheckFailure);
}

TEST_CASE("ActivityMeter: its clock outside of compute stands still while something computes",
          "[unit][workload]")
{
    ActivityMeter meter;
    meter.BeginCompute(At(10));
    CHECK(meter.ClockAt(At(10)).outsideCompute == At(10));
    CHECK(meter.ClockAt(At(25)).outsideCompute == At(10));
    meter.EndCompute(At(30));
    CHECK(meter.ClockAt(At(42)).outsideCompute == At(10 + 42 - 30));
    CHECK(meter.ClockAt(At(42)).now == At(42));
}

TEST_CASE("CommunicationMeter: calls of a kind that overlap count once", "[unit][workload]")
{
    const CommunicationKind kind{CollectiveType::AllToAll, CommunicatorId{3}};
    CommunicationMeter meter;
    meter.Begin(kind, Bytes(5), {At(10), At(10)});
    meter.Begin(kind, Bytes(6), {At(20), At(20)}); // compute from 20 to 25
    meter.End(kind, {At(30), At(25)});
    meter.End(kind, {At(50), At(45)});
    const auto totals = meter.TotalsAt({At(60), At(55)});
    REQUIRE(totals.size() == 1);
    CHECK(totals[0].kind == kind);
    CHECK(totals[0].calls == 2);
    CHECK(totals[0].size == Bytes(11));
    CHECK(totals[0].inProgress == At(50 - 10));
    CHECK(totals[0].exposed == At(45 - 10));
}

TEST_CASE("CommunicationMeter: what is in progress counts up to the look at it", "[unit][workload]")
{
    CommunicationMeter meter;
    meter.Begin({}, Bytes(1), {At(10), At(8)});
    CHECK(meter.TotalsAt({At(15), At(9)}).at(0).inProgress == At(5));
    CHECK(meter.TotalsAt({At(15), At(9)}).at(0).exposed == At(1));
    meter.BeginWait(7, {At(15), At(9)});
    CHECK(meter.WaitingAt({At(16), At(10)}) == At(1));
}

TEST_CASE("CommunicationMeter: a moment of waiting counts once, for the first of the open waits",
          "[unit][workload]")
{
    CommunicationMeter meter;
    meter.BeginWait(9, {At(0), At(0)});
    meter.BeginWait(2, {At(10), At(10)});
    meter.BeginWait(5, {At(12), At(12)});
    CHECK(meter.EndWait(2, {At(20), At(20)}) == At(0));  // all the while 9 was the first
    CHECK(meter.EndWait(9, {At(30), At(20)}) == At(20)); // 10 of the 30 were compute
    CHECK(meter.EndWait(5, {At(50), At(40)}) == At(40 - 20));
    CHECK(meter.WaitingAt({At(90), At(80)}) == At(20 + 20));
    CHECK_THROWS_AS(meter.EndWait(2, {At(90), At(80)}), CheckFailure);
}
