// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "system/collective-schedule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace nadi::test
{

/// How many chunk phases a rank admits to a dimension.
struct AdmissionLimits
{
    uint32_t chunksInFlight = 1; ///< unfinished ones
    uint32_t early = 0;          ///< of these, those that were admitted before an earlier one
};

/// An obvious model of ranks that execute a schedule with arbitrary delays: each rank admits the
/// phases of a dimension in order, or early whichever it likes, within `limits`, and only when the
/// chunk's phase before is done on that rank; a phase can end on a rank once all members of its
/// line have admitted it, and then does so at any time. Stricter than a plan, whose steps may run
/// before all have come.
class AdmissionModel
{
  public:
    AdmissionModel(const CollectiveSchedule& schedule,
                   RankGrid members,
                   const AdmissionLimits& limits)
        : m_schedule(schedule)
        , m_members(std::move(members))
        , m_limits(limits)
        , m_ranks(m_members.RankCount())
    {
        for (RankState& rank : m_ranks)
        {
            rank.donePhases.resize(schedule.chunks.size());
            rank.waiting = schedule.admission;
            rank.running.resize(schedule.admission.size());
        }
    }

    /// Runs with choices and delays drawn from `seed`. Returns whether every rank finished every
    /// phase; if not, the ranks wait for each other.
    bool Run(uint64_t seed)
    {
        std::mt19937_64 random(seed);
        for (;;)
        {
            AdmitInOrder();
            AdmitEarly(random);
            AdmitInOrder(); // what went early is no longer in the way
            const std::vector<Running> endings = FindPossibleEndings();
            if (endings.empty())
            {
                return IsComplete();
            }
            End(endings[random() % endings.size()]);
        }
    }

  private:
    struct Admitted
    {
        PhaseReference phase;
        bool isEarly = false;
    };

    struct RankState
    {
        std::vector<uint32_t> donePhases;                 // by chunk
        std::vector<std::vector<PhaseReference>> waiting; // by dimension, in order
        std::vector<std::vector<Admitted>> running;       // by dimension
    };

    struct Running
    {
        uint32_t rank = 0;
        uint32_t dimension = 0;
        PhaseReference phase;
    };

    void AdmitInOrder()
    {
        for (RankState& rank : m_ranks)
        {
            for (size_t dimension = 0; dimension < m_schedule.admission.size(); ++dimension)
            {
                while (!rank.waiting[dimension].empty() && CanAdmit(rank, dimension, 0))
                {
                    Admit(rank, dimension, 0);
                }
            }
        }
    }

    /// Tries once for each rank and dimension: a phase that is drawn.
    void AdmitEarly(std::mt19937_64& random)
    {
        for (RankState& rank : m_ranks)
        {
            for (size_t dimension = 0; dimension < m_schedule.admission.size(); ++dimension)
            {
                const auto& running = rank.running[dimension];
                const auto early = std::count_if(running.begin(),
                                                 running.end(),
                                                 [](const Admitted& one) { return one.isEarly; });
                const size_t waiting = rank.waiting[dimension].size();
                const size_t position = waiting == 0 ? 0 : random() % waiting;
                if (position > 0 && early < m_limits.early && CanAdmit(rank, dimension, position))
                {
                    Admit(rank, dimension, position);
                }
            }
        }
    }

    bool CanAdmit(const RankState& rank, size_t dimension, size_t position) const
    {
        const PhaseReference phase = rank.waiting[dimension][position];
        return rank.running[dimension].size() < m_limits.chunksInFlight &&
               rank.donePhases[phase.chunk] == phase.phase;
    }

    static void Admit(RankState& rank, size_t dimension, size_t position)
    {
        auto& waiting = rank.waiting[dimension];
        rank.running[dimension].push_back({waiting[position], position > 0});
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(position));
    }

    std::vector<Running> FindPossibleEndings() const
    {
        std::vector<Running> endings;
        for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
        {
            for (uint32_t dimension = 0; dimension < m_schedule.admission.size(); ++dimension)
            {
                for (const Admitted& admitted : m_ranks[rank].running[dimension])
                {
                    if (HasWholeLine(rank, dimension, admitted.phase))
                    {
                        endings.push_back({rank, dimension, admitted.phase});
                    }
                }
            }
        }
        return endings;
    }

    bool HasWholeLine(uint32_t rank, uint32_t dimension, PhaseReference phase) const
    {
        for (uint32_t coordinate = 0; coordinate < m_members.Size(dimension); ++coordinate)
        {
            const RankState& peer = m_ranks[m_members.WithCoordinate(rank, dimension, coordinate)];
            const bool isDone = peer.donePhases[phase.chunk] > phase.phase;
            if (!isDone && !IsRunning(peer, dimension, phase))
            {
                return false;
            }
        }
        return true;
    }

    static bool IsRunning(const RankState& rank, uint32_t dimension, PhaseReference phase)
    {
        const auto& running = rank.running[dimension];
        return std::any_of(running.begin(),
                           running.end(),
                           [phase](const Admitted& one) { return one.phase == phase; });
    }

    void End(const Running& ending)
    {
        RankState& rank = m_ranks[ending.rank];
        ++rank.donePhases[ending.phase.chunk];
        std::erase_if(rank.running[ending.dimension],
                      [&ending](const Admitted& one) { return one.phase == ending.phase; });
    }

    bool IsComplete() const
    {
        for (const RankState& rank : m_ranks)
        {
            for (size_t chunk = 0; chunk < m_schedule.chunks.size(); ++chunk)
            {
                if (rank.donePhases[chunk] != m_schedule.chunks[chunk].phases.size())
                {
                    return false;
                }
            }
        }
        return true;
    }

    const CollectiveSchedule& m_schedule;
    RankGrid m_members;
    AdmissionLimits m_limits;
    std::vector<RankState> m_ranks;
};

} // namespace nadi::test
