// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"
#include "network/packet/agenda.h"

#include <catch2/catch.hpp>

#include <algorithm>
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
        REQUIRE(KeyOf(m_agenda.Next()) == *m_sorted.begin());
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

} // namespace

TEST_CASE("Agenda: gives what a sorted set gives, whatever is added between", "[unit][packet]")
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
          "[unit][packet]")
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
          "[unit][packet]")
{
    Agenda agenda;
    agenda.Add(MakeEntry(10, 1));
    CHECK(agenda.Next().token == 1);
    agenda.Add(MakeEntry(5, 2));
    CHECK(agenda.Next().token == 2);
    agenda.Add(MakeEntry(5, 3, EventOrder::Kind::Delivery));
    CHECK(agenda.Next().token == 3);
    agenda.Clear();
    CHECK(agenda.IsEmpty());
    CHECK_FALSE(agenda.HasProgress());
}
