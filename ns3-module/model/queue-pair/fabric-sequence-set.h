// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SEQUENCE_SET_H
#define FABRIC_SEQUENCE_SET_H

#include <cstdint>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// A set of frame numbers that lie mostly next to each other: runs in a sorted array. {3, 4, 5, 9}
/// is the two runs [3, 6) and [9, 10); to insert 8 makes the second one [8, 10).
///
/// Holds: runs are not empty, and do not overlap or touch. The memory never shrinks, so a set that
/// has reached its working size allocates no more. Cost: logarithmic in the number of runs, and
/// linear where runs appear or vanish before others.
class FabricSequenceSet
{
  public:
    bool IsEmpty() const
    {
        return m_size == 0;
    }

    uint64_t GetSize() const
    {
        return m_size;
    }

    /// The lowest. Requires: not empty.
    uint64_t GetFirst() const
    {
        return m_runs.front().begin;
    }

    bool Contains(uint64_t number) const;

    /// \return Whether it is new.
    bool Insert(uint64_t number);

    /// \return Whether it was there.
    bool Erase(uint64_t number);

    /// Removes all below `end`.
    void EraseBelow(uint64_t end);

    /// Becomes the numbers from `begin` to before `end` that `other` lacks.
    /// Requires: `other` is another set.
    void AssignMissing(const FabricSequenceSet& other, uint64_t begin, uint64_t end);

    /// Removes the lowest and those that follow it without a gap.
    /// \return The first number after them. Requires: not empty.
    uint64_t EraseFirstRun();

  private:
    struct Run
    {
        uint64_t begin;
        uint64_t end;
    };

    using Runs = std::vector<Run>;

    void Extend(Runs::iterator run);

    Runs m_runs;
    uint64_t m_size = 0;
};

} // namespace ns3

#endif /* FABRIC_SEQUENCE_SET_H */
