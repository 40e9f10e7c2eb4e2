// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/cube-mesh.h"

#include "common/check.h"

#include <algorithm>

namespace nadi::nccl
{

namespace
{

using Ring = std::vector<uint32_t>;

/// By two NPUs: the links between them that nothing uses yet.
using LinkCounts = std::array<std::array<int, CUBE_NPUS>, CUBE_NPUS>;

void
AddLinks(const Ring& ring, int links, LinkCounts& counts)
{
    for (size_t step = 0; step < ring.size(); ++step)
    {
        const uint32_t one = ring[step];
        const uint32_t other = ring[(step + 1) % ring.size()];
        counts[one][other] += links;
        counts[other][one] += links;
    }
}

LinkCounts
CountLinks()
{
    LinkCounts counts{};
    AddLinks({DOUBLED_RING.begin(), DOUBLED_RING.end()}, 2, counts);
    AddLinks({SINGLE_RING.begin(), SINGLE_RING.end()}, 1, counts);
    return counts;
}

/// Looks at every ring, and at every set of them: of fewer than eight NPUs there are few.
class RingSearch
{
  public:
    explicit RingSearch(const std::vector<uint32_t>& npus)
        : m_free(CountLinks())
    {
        Ring ring = npus;
        std::sort(ring.begin(), ring.end());
        // The first NPU stays, and of the two directions of a ring one is kept.
        do
        {
            if (ring[1] < ring.back() && Fits(ring))
            {
                m_rings.push_back(ring);
            }
        }
        while (std::next_permutation(ring.begin() + 1, ring.end()));
    }

    std::vector<Ring> FindLargestSet()
    {
        Extend(0);
        return m_best;
    }

  private:
    bool Fits(const Ring& ring)
    {
        AddLinks(ring, -1, m_free);
        const bool fits =
            std::ranges::all_of(m_free, [](const auto& row) { return std::ranges::min(row) >= 0; });
        AddLinks(ring, 1, m_free);
        return fits;
    }

    /// By that ring and later ones, each as often as there are links for it.
    void Extend(size_t first)
    {
        if (m_chosen.size() > m_best.size())
        {
            m_best = m_chosen;
        }
        for (size_t next = first; next < m_rings.size(); ++next)
        {
            if (Fits(m_rings[next]))
            {
                AddLinks(m_rings[next], -1, m_free);
                m_chosen.push_back(m_rings[next]);
                Extend(next);
                m_chosen.pop_back();
                AddLinks(m_rings[next], 1, m_free);
            }
        }
    }

    LinkCounts m_free;
    std::vector<Ring> m_rings;
    std::vector<Ring> m_chosen;
    std::vector<Ring> m_best;
};

} // namespace

std::vector<std::vector<uint32_t>>
FindRingsOfCubeMesh(const std::vector<uint32_t>& npus)
{
    NADI_CHECK(npus.size() > 2 && npus.size() < CUBE_NPUS);
    std::vector<Ring> rings = RingSearch(npus).FindLargestSet();
    for (Ring& ring : rings)
    {
        for (uint32_t& npu : ring)
        {
            npu = static_cast<uint32_t>(std::ranges::find(npus, npu) - npus.begin());
        }
    }
    return rings;
}

} // namespace nadi::nccl
