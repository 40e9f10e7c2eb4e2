// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/shape-parts.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace nadi
{

namespace
{

/// Sizes that are the same on all ranks.
constexpr std::array COMMON_SIZES{&ShapeSizes::microBatch,
                                  &ShapeSizes::sequence,
                                  &ShapeSizes::hidden,
                                  &ShapeSizes::headSize,
                                  &ShapeSizes::gates,
                                  &ShapeSizes::experts,
                                  &ShapeSizes::topK,
                                  &ShapeSizes::sharedExperts};

/// Sizes of which ranks of a tensor group have parts.
constexpr std::array CUT_SIZES{&ShapeSizes::heads,
                               &ShapeSizes::kvHeads,
                               &ShapeSizes::ffn,
                               &ShapeSizes::expertFfn,
                               &ShapeSizes::vocabulary};

/// Finds at which place of its tensor group each rank stands, then the sizes that ranks of each
/// place show together, then the whole model, which CutSizes has to cut into these parts.
class PartFinder
{
  public:
    PartFinder(const Workload& job,
               const JobStructure& structure,
               const GroupRoles& roles,
               const std::string& wish,
               ShapeReading& reading)
        : m_job(job)
        , m_structure(structure)
        , m_roles(roles)
        , m_wish(wish)
        , m_reading(reading)
    {
    }

    void Run()
    {
        FindPlaces();
        MergeParts();
        FindWhole();
    }

  private:
    void FindPlaces()
    {
        size_t places = 1;
        // A rank without a tensor group is a group of one, at place 0 (GroupRoles::GroupOf).
        for (const RankStructure& rank : m_structure.ranks)
        {
            const std::vector<uint32_t> group = m_roles.GroupOf(rank.rank, GroupRole::Tensor);
            m_reading.placeOfRank.push_back(
                static_cast<uint32_t>(std::ranges::find(group, rank.rank) - group.begin()));
            places = std::max(places, group.size());
        }
        m_reading.parts.resize(places);
    }

    /// Takes from `seen` what a part does not have yet.
    void Merge(ShapeSizes& part,
               const ShapeSizes& seen,
               uint64_t ShapeSizes::*field,
               uint32_t rank) const
    {
        if (part.*field != 0 && seen.*field != 0 && part.*field != seen.*field)
        {
            throw ConfigError(
                m_wish,
                fmt::format("rank {} has a size of {} where others have {}; one model "
                            "has one size there",
                            rank,
                            seen.*field,
                            part.*field));
        }
        part.*field = part.*field == 0 ? seen.*field : part.*field;
    }

    void MergeParts()
    {
        ShapeSizes& whole = m_reading.whole;
        // Ranks of one place see the same part, whichever stage they are of. A stage may show only
        // some sizes, as the vocabulary is seen at the ends alone.
        for (uint32_t rank = 0; rank < m_structure.ranks.size(); ++rank)
        {
            const ShapeSizes& seen = m_reading.jobs.at(m_job.graphOfRank[rank]).seen;
            for (const auto field : COMMON_SIZES)
            {
                Merge(whole, seen, field, rank);
            }
            for (const auto field : CUT_SIZES)
            {
                Merge(m_reading.parts[m_reading.placeOfRank[rank]], seen, field, rank);
            }
        }
        whole.tensor = m_reading.parts.size();
        whole.expert = m_structure.degrees.expert.value_or(1);
        for (ShapeSizes& part : m_reading.parts)
        {
            for (const auto field : COMMON_SIZES)
            {
                part.*field = whole.*field;
            }
            part.tensor = whole.tensor;
            part.expert = whole.expert;
        }
    }

    /// Parts of a size add up to the whole. Heads of keys that several ranks have count more than
    /// once, so FindKeyHeads looks for their number.
    void FindWhole()
    {
        ShapeSizes& whole = m_reading.whole;
        for (const auto field : CUT_SIZES)
        {
            for (const ShapeSizes& part : m_reading.parts)
            {
                whole.*field += part.*field;
            }
        }
        if (whole.heads == 0)
        {
            throw ConfigError(m_wish,
                              "no attention was found whose kernels name their shapes; a recording "
                              "with the host trace has them");
        }
        FindKeyHeads();
    }

    /// The largest number of heads of keys that gives ranks what they have.
    void FindKeyHeads()
    {
        ShapeSizes& whole = m_reading.whole;
        const uint64_t most = std::min(whole.kvHeads, whole.heads);
        uint32_t found = 0;
        // The sum over ranks is the most that there can be. Smaller counts are tried, too: parts do
        // not tell ranks that share a head from ranks with heads of their own.
        for (uint64_t count = most; count > 0; --count)
        {
            ShapeSizes candidate = whole;
            candidate.kvHeads = count;
            if (whole.heads % count == 0 && AreParts(candidate))
            {
                whole.kvHeads = found == 0 ? count : whole.kvHeads;
                ++found;
            }
        }
        if (found == 0)
        {
            throw ConfigError(
                m_wish, "ranks of a tensor group hold unequal parts that follow no known rule");
        }
        if (found > 1)
        {
            m_reading.notes.push_back(fmt::format(
                "Heads of keys and values on several ranks are taken for different "
                "ones, {} in all; fewer, of which ranks have copies, would look the same",
                whole.kvHeads));
        }
    }

    bool AreParts(const ShapeSizes& whole) const
    {
        for (size_t place = 0; place < m_reading.parts.size(); ++place)
        {
            if (CutSizes(whole, place) != m_reading.parts[place])
            {
                return false;
            }
        }
        return true;
    }

    const Workload& m_job;
    const JobStructure& m_structure;
    const GroupRoles& m_roles;
    const std::string& m_wish;
    ShapeReading& m_reading;
};

} // namespace

void
FindParts(const Workload& job,
          const JobStructure& structure,
          const GroupRoles& roles,
          const std::string& wish,
          ShapeReading& reading)
{
    PartFinder(job, structure, roles, wish, reading).Run();
}

} // namespace nadi
