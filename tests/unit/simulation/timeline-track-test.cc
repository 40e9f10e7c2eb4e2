// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/timeline/rank-timeline.h"

#include <catch2/catch.hpp>

#include <random>

using namespace nadi;

namespace
{

SimTime
At(int64_t ns)
{
    return SimTime::FromNs(ns);
}

TimelineSlice
Span(int64_t startNs, int64_t endNs)
{
    return MakeSlice(At(startNs), At(endNs));
}

constexpr TrackGroup COMPUTE{TrackKind::Compute};

/// Of all tracks of the group.
std::vector<TimelineSlice>
SlicesOf(const RankTimeline& rank, TrackGroup group)
{
    std::vector<TimelineSlice> slices;
    for (const TimelineTrack& track : rank.Groups().at(group.Index()))
    {
        slices.insert(slices.end(), track.Slices().begin(), track.Slices().end());
    }
    return slices;
}

struct Sums
{
    uint64_t count = 0;
    SimTime busy;
};

Sums
AddUp(const std::vector<TimelineSlice>& slices)
{
    Sums sums;
    for (const TimelineSlice& slice : slices)
    {
        sums.count += slice.count;
        sums.busy += slice.busy;
    }
    return sums;
}

} // namespace

TEST_CASE("TimelineTrack: neighbours that fit into the span become one", "[unit][simulation]")
{
    TimelineTrack track;
    track.Add(Span(0, 4));
    track.Add(Span(6, 10));
    track.Add(Span(10, 11)); // 0 .. 11 is longer than 10
    track.Add(Span(40, 60)); // longer than 10 by itself
    track.Add(Span(60, 61));
    track.Merge(At(10));
    REQUIRE(track.Slices().size() == 4);
    CHECK(track.Slices()[0].end == At(10));
    CHECK(track.Slices()[0].count == 2);
    CHECK(track.Slices()[0].busy == At(4 + 4));
    CHECK(track.Slices()[1].count == 1);
    CHECK(track.Slices()[2].end == At(60));
    CHECK(track.Slices()[3].start == At(60));
}

TEST_CASE("TimelineTrack: what touches the last span extends it", "[unit][simulation]")
{
    TimelineTrack track;
    track.Extend(At(1), At(2));
    track.Extend(At(2), At(5));
    track.Extend(At(6), At(7));
    REQUIRE(track.Slices().size() == 2);
    CHECK(track.Slices()[0].end == At(5));
    CHECK(track.Slices()[0].busy == At(4));
    CHECK(track.Slices()[0].count == 1);
}

TEST_CASE("TimelineTrack: an absorbed slice and what it overlaps are one", "[unit][simulation]")
{
    TimelineTrack track;
    track.Add(Span(0, 2));
    track.Add(Span(3, 5));
    track.Add(Span(8, 10));
    track.Absorb(Span(4, 12));
    REQUIRE(track.Slices().size() == 2);
    CHECK(track.Slices()[0].end == At(2));
    CHECK(track.Slices()[1].start == At(3));
    CHECK(track.Slices()[1].end == At(12));
    CHECK(track.Slices()[1].count == 3);
    CHECK(track.Slices()[1].busy == At(12 - 3)); // 3..5 and 4..12
    track.Absorb(Span(12, 13));
    CHECK(track.Slices().size() == 3);
}

TEST_CASE("RankTimeline: what overlaps goes on tracks of its own", "[unit][simulation]")
{
    RankTimeline rank(1000);
    rank.Add(COMPUTE, Span(0, 1));
    rank.Add(COMPUTE, Span(1, 3));
    rank.Add(COMPUTE, Span(0, 4)); // overlaps both
    rank.Add(COMPUTE, Span(3, 5)); // the first is free again
    const auto& tracks = rank.Groups().at(COMPUTE.Index());
    REQUIRE(tracks.size() == 2);
    CHECK(tracks[0].Slices().size() == 3);
    CHECK(tracks[1].Slices().size() == 1);
}

TEST_CASE("RankTimeline: the last track of a group takes whatever overlaps", "[unit][simulation]")
{
    RankTimeline rank(1000);
    const size_t many = 3 * RankTimeline::MOST_TRACKS;
    for (size_t i = 0; i < many; ++i)
    {
        rank.Add(COMPUTE, Span(0, 10 + static_cast<int64_t>(i)));
    }
    const auto& tracks = rank.Groups().at(COMPUTE.Index());
    REQUIRE(tracks.size() == RankTimeline::MOST_TRACKS);
    REQUIRE(tracks.back().Slices().size() == 1);
    CHECK(tracks.back().Slices()[0].count == many - (RankTimeline::MOST_TRACKS - 1));
}

TEST_CASE("RankTimeline: up to the limit, every slice is kept as it is", "[unit][simulation]")
{
    RankTimeline rank(200);
    for (int64_t i = 0; i < 200; ++i)
    {
        rank.Add(COMPUTE, Span(2 * i, 2 * i + 1));
    }
    rank.Finish();
    CHECK(rank.SliceCount() == 200);
    CHECK(rank.MergedSpan() == SimTime{});
}

TEST_CASE("RankTimeline: beyond the limit, the picture gets coarser and loses nothing",
          "[unit][simulation]")
{
    const size_t limit = GENERATE(100, 128, 1000);
    RankTimeline rank(limit);
    std::minstd_rand random(1);
    int64_t now = 0;
    int64_t busy = 0;
    const int64_t slices = 20000;
    for (int64_t i = 0; i < slices; ++i)
    {
        const auto length = static_cast<int64_t>(random() % 1000) + 1;
        now += static_cast<int64_t>(random() % 50);
        rank.Add(COMPUTE, Span(now, now + length));
        rank.Extend({TrackKind::Idle}, At(now), At(now + length));
        now += length;
        busy += length;
        CHECK(rank.SliceCount() <= limit);
    }
    rank.Finish();
    const std::vector<TimelineSlice> drawn = SlicesOf(rank, COMPUTE);
    const Sums sums = AddUp(drawn);
    CHECK(sums.count == static_cast<uint64_t>(slices));
    CHECK(sums.busy == At(busy));
    CHECK(AddUp(SlicesOf(rank, {TrackKind::Idle})).busy == At(busy));
    for (size_t i = 1; i < drawn.size(); ++i)
    {
        CHECK(drawn[i].start >= drawn[i - 1].end);
        CHECK(drawn[i].end - drawn[i - 1].start > rank.MergedSpan()); // else they were one
    }
}

TEST_CASE("RankTimeline: a limit below two slices for each track is raised", "[unit][simulation]")
{
    RankTimeline rank(1);
    for (uint32_t dimension = 0; dimension < 5; ++dimension)
    {
        for (int64_t i = 0; i < 10; ++i)
        {
            rank.Add({TrackKind::Phase, dimension}, Span(i, i + 1));
        }
    }
    CHECK(rank.SliceCount() <= 5 * 2);
    CHECK(rank.SliceCount() >= 5);
}
