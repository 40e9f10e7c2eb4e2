// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "system/collective-schedule.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace nadi::test
{

/// An obvious model of ranks that execute a schedule with arbitrary delays: each rank admits the
/// phases of a dimension strictly in order, at most `chunksInFlight` unfinished ones, and only
/// when the chunk's phase before is done on that rank; a phase can end on a rank once all members
/// of its line have admitted it, and then does so at any time. Stricter than a plan, whose steps
/// may run before all have come.
class AdmissionModel
{
  public:
    AdmissionModel(const CollectiveSchedule& schedule, RankGrid members, uint32_t chunksInFlight)
        : m_schedule(schedule)
        , m_members(std::move(members))
        , m_chunksInFlight(chunksInFlight)
        , m_ranks(m_members.RankCount())
    {
        for (RankState& rank : m_ranks)
        {
            rank.donePhases.resize(schedule.chunks.size());
            rank.admitted.resize(schedule.admission.size());
            rank.running.resize(schedule.admission.size());
        }
    }

    /// Runs with delays drawn from `seed`. Returns whether every rank finished every phase; if
    /// not, the ranks wait for each other.
    bool Run(uint64_t seed)
    {
        std::mt19937_64 random(seed);
        for (;;)
        {
            AdmitAll();
            const std::vector<Running> endings = FindPossibleEndings();
            if (endings.empty())
            {
                return IsComplete();
            }
            End(endings[random() % endings.size()]);
        }
    }

  private:
    struct RankState
    {
        std::vector<uint32_t> donePhases;                 // by chunk
        std::vector<size_t> admitted;                     // by dimension
        std::vector<std::vector<PhaseReference>> running; // by dimension
    };

    struct Running
    {
        uint32_t rank = 0;
        uint32_t dimension = 0;
        PhaseReference phase;
    };

    void AdmitAll()
    {
        for (RankState& rank : m_ranks)
        {
            for (size_t dimension = 0; dimension < m_schedule.admission.size(); ++dimension)
            {
                while (CanAdmit(rank, dimension))
                {
                    rank.running[dimension].push_back(
                        m_schedule.admission[dimension][rank.admitted[dimension]++]);
                }
            }
        }
    }

    bool CanAdmit(const RankState& rank, size_t dimension) const
    {
        const auto& order = m_schedule.admission[dimension];
        const size_t next = rank.admitted[dimension];
        return next < order.size() && rank.running[dimension].size() < m_chunksInFlight &&
               rank.donePhases[order[next].chunk] == order[next].phase;
    }

    std::vector<Running> FindPossibleEndings() const
    {
        std::vector<Running> endings;
        for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
        {
            for (uint32_t dimension = 0; dimension < m_schedule.admission.size(); ++dimension)
            {
                for (const PhaseReference& phase : m_ranks[rank].running[dimension])
                {
                    if (HasWholeLine(rank, dimension, phase))
                    {
                        endings.push_back({rank, dimension, phase});
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
            const auto& running = peer.running[dimension];
            const bool isDone = peer.donePhases[phase.chunk] > phase.phase;
            if (!isDone && std::find(running.begin(), running.end(), phase) == running.end())
            {
                return false;
            }
        }
        return true;
    }

    void End(const Running& ending)
    {
        RankState& rank = m_ranks[ending.rank];
        ++rank.donePhases[ending.phase.chunk];
        std::erase(rank.running[ending.dimension], ending.phase);
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
    uint32_t m_chunksInFlight;
    std::vector<RankState> m_ranks;
};

} // namespace nadi::test
