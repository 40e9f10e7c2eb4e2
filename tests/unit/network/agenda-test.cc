// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"
#include "network/event-loop/agenda.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

using namespace nadi;

namespace
{

/// What the agenda must keep in order; the token makes entries differ.
using Key = std::tuple<SimTime, uint64_t, EventOrder, uint64_t>;

Key
KeyOf(const Agenda::Entry& entry)
{
    return {entry.at, entry.round, entry.order, entry.token};
}

/// An agenda beside a sorted set, used as a loop does: what is added is for the present instant's
/// next round or for later.
class Comparison
{
  public:
    explicit Comparison(uint64_t seed)
        : m_seed(seed)
    {
    }

    void Add(uint64_t mostLater)
    {
        Agenda::Entry entry;
        entry.at = m_now + SimTime::FromPs(Draw(mostLater + 1));
        entry.round = entry.at == m_now ? m_round + 1 : 0;
        entry.order.kind = static_cast<EventOrder::Kind>(Draw(3));
        entry.order.identity = {static_cast<uint64_t>(Draw(3)), 0, 0, ++m_count}; // never equal
        entry.token = m_count;
        m_agenda.Add(entry);
        m_sorted.insert(KeyOf(entry));
        m_progress += entry.IsBackground() ? 0 : 1;
    }

    void Take()
    {
        REQUIRE_FALSE(m_agenda.IsEmpty());
        const auto& [at, round, order, token] = *m_sorted.begin();
        REQUIRE(m_agenda.NextAt() == at);
        REQUIRE(m_agenda.IsNextBackground() == (order.kind == EventOrder::Kind::Background));
        const Agenda::Entry entry = m_agenda.TakeNext();
        REQUIRE(KeyOf(entry) == *m_sorted.begin());
        m_sorted.erase(m_sorted.begin());
        m_progress -= entry.IsBackground() ? 0 : 1;
        REQUIRE(m_agenda.HasProgress() == (m_progress > 0));
        m_now = entry.at;
        m_round = entry.round;
    }

    bool IsEmpty() const
    {
        REQUIRE(m_agenda.IsEmpty() == m_sorted.empty());
        return m_sorted.empty();
    }

    int64_t Draw(uint64_t bound)
    {
        return static_cast<int64_t>(Hash64({m_seed, ++m_draws}) % bound);
    }

  private:
    uint64_t m_seed;
    Agenda m_agenda;
    std::set<Key> m_sorted;
    SimTime m_now = SimTime::FromPs(-1); // nothing was taken yet
    uint64_t m_round = 0;
    uint64_t m_count = 0;
    uint64_t m_progress = 0;
    uint64_t m_draws = 0;
};

/// An entry of a rank at an instant.
Agenda::Entry
MakeEntry(int64_t atPs, uint64_t rank, EventOrder::Kind kind = EventOrder::Kind::Timer)
{
    Agenda::Entry entry;
    entry.at = SimTime::FromPs(atPs);
    entry.order = {kind, {rank, 0, 0, 0}};
    entry.token = rank;
    return entry;
}

/// Remembers what it was told to expect.
class ExpectRecorder : public EventHandler
{
  public:
    void OnEvent(uint64_t) override
    {
    }

    void Expect(uint64_t token) const override
    {
        expected.push_back(token);
    }

    mutable std::vector<uint64_t> expected;
    size_t told = 0; ///< how many, when somebody looked last
};

} // namespace

TEST_CASE("Agenda: gives what a sorted set gives, whatever is added between", "[unit][network]")
{
    for (uint64_t seed = 0; seed < 300; ++seed)
    {
        CAPTURE(seed);
        Comparison both(seed);
        const auto mostLater = static_cast<uint64_t>(both.Draw(2) == 0 ? 3 : 200);
        for (int step = 0; step < 200; ++step)
        {
            for (int64_t added = both.Draw(4); added > 0; --added)
            {
                both.Add(mostLater);
            }
            for (int64_t taken = both.Draw(5); taken > 0 && !both.IsEmpty(); --taken)
            {
                both.Take();
            }
        }
        while (!both.IsEmpty())
        {
            both.Take();
        }
    }
}

TEST_CASE("Agenda: the entries of an instant come by rank, in whatever order they were added",
          "[unit][network]")
{
    constexpr uint64_t ranks = 100;
    for (const uint64_t step : {1, 3, 7, 99}) // coprime to 100: each rank once, in several runs
    {
        Agenda agenda;
        for (uint64_t i = 0; i < ranks; ++i)
        {
            agenda.Add(MakeEntry(5, (50 + i * step) % ranks));
        }
        for (uint64_t rank = 0; rank < ranks; ++rank)
        {
            REQUIRE(agenda.TakeNext().token == rank);
        }
        CHECK(agenda.IsEmpty());
    }
}

TEST_CASE("Agenda: an entry for an earlier instant goes before those that were next",
          "[unit][network]")
{
    Agenda agenda;
    agenda.Add(MakeEntry(10, 1));
    CHECK(agenda.NextAt() == SimTime::FromPs(10));
    agenda.Add(MakeEntry(5, 2));
    CHECK(agenda.NextAt() == SimTime::FromPs(5));
    agenda.Add(MakeEntry(5, 3, EventOrder::Kind::Delivery));
    CHECK(agenda.TakeNext().token == 3);
    CHECK(agenda.TakeNext().token == 2);
    CHECK(agenda.NextAt() == SimTime::FromPs(10));
    agenda.Clear();
    CHECK(agenda.IsEmpty());
    CHECK_FALSE(agenda.HasProgress());
}

TEST_CASE("Agenda: background is next only at an instant that has nothing else", "[unit][network]")
{
    Agenda agenda;
    agenda.Add(MakeEntry(5, 1, EventOrder::Kind::Background));
    CHECK(agenda.IsNextBackground());
    CHECK_FALSE(agenda.HasProgress());
    agenda.Add(MakeEntry(7, 2));
    CHECK(agenda.IsNextBackground()); // the one at 5
    CHECK(agenda.HasProgress());
    agenda.Add(MakeEntry(5, 3));
    CHECK_FALSE(agenda.IsNextBackground());
    CHECK(agenda.TakeNext().token == 3);
    CHECK(agenda.IsNextBackground());
    CHECK(agenda.TakeNext().token == 1);
    CHECK_FALSE(agenda.IsNextBackground()); // the one at 7
}

TEST_CASE("Agenda: where many entries are due at once, handlers are told three entries ahead",
          "[unit][network]")
{
    constexpr uint64_t AHEAD = 3;
    for (const uint64_t entries : {1023, 1024, 3000})
    {
        CAPTURE(entries);
        Agenda agenda;
        ExpectRecorder recorder;
        for (uint64_t rank = 0; rank < entries; ++rank)
        {
            Agenda::Entry entry = MakeEntry(5, rank);
            entry.handler = &recorder;
            agenda.Add(entry);
        }
        for (uint64_t rank = 0; rank < entries; ++rank)
        {
            REQUIRE(agenda.TakeNext().token == rank);
            const bool isTold = entries >= 1024 && rank + AHEAD < entries;
            REQUIRE(recorder.expected.size() == (isTold ? rank + 1 : recorder.told));
            REQUIRE((!isTold || recorder.expected.back() == rank + AHEAD));
            recorder.told = recorder.expected.size();
        }
        CHECK(recorder.told == (entries >= 1024 ? entries - AHEAD : 0));
    }
}
