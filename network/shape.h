// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/registry.h"
#include "network/topology.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nadi
{

/// The shape of a dimension whose members have no links of their own: the routes of a topology
/// lead from one to the other. Not registered, so nobody can ask for it.
inline constexpr const char* ROUTES = "routes";

/// The order in which an algorithm that goes from neighbour to neighbour visits a line.
enum class LineOrder : uint8_t
{
    Cycle,  ///< 0, 1, 2, ..., p-1
    Folded, ///< 0, 2, 4, ..., 5, 3, 1: neighbours are at most two hops apart on a line (mesh)
};

/// How the members of a line hang together where links join neighbours only.
enum class NeighbourChain : uint8_t
{
    None, ///< links or a switch join others, too
    Ring,
    Line,
};

/// What collectives do along a dimension of a shape unless somebody chooses otherwise. Algorithms
/// are known to the layer above; here they are names.
struct ShapeDefaults
{
    std::string algorithm;
    /// Broadcast and reduce: the size chooses the algorithm instead.
    bool chooseRootedBySize = false;
    LineOrder line = LineOrder::Cycle;
    NeighbourChain chain = NeighbourChain::None;
};

/// The NPUs that differ in one coordinate only, to be joined in a shape.
struct ShapeLine
{
    std::vector<VertexId> members; ///< in order of that coordinate
    uint32_t dimension = 0;        ///< of the stack, from 0
    LinkRate rate;                 ///< of each link in each direction
    std::string switchName;        ///< where the shape has a switch
};

/// How the NPUs of one dimension are joined: which links a line of `size` members has, which of
/// them lead where, and what suits them. One file each in `shapes/`; the folder listing is the list
/// of shapes.
///
/// A place on a line is a member's coordinate 0..size-1, or `size` for the line's switch. A link
/// of a line is named by its ordinal: links are directions, counted in the order in which AddLine
/// adds them, so their ids are those of the line's first link plus the ordinal.
///
/// Holds: a line of one member has neither link nor switch, whatever the shape.
/// Holds: following FindNextLink from any place reaches the member after HopCount links.
class Shape
{
  public:
    virtual ~Shape() = default;

    /// Whether a line of `size` members has a switch; it then has exactly one.
    virtual bool HasSwitch(uint32_t size) const = 0;

    /// The most links that leave one NPU along a line of `size` members.
    virtual uint32_t LinksPerNpu(uint32_t size) const = 0;

    /// The links of a whole line, each direction counted.
    virtual uint64_t LinkCount(uint32_t size) const = 0;

    /// The links that a message crosses between two members. Requires: from, to < size.
    virtual uint32_t HopCount(uint32_t size, uint32_t from, uint32_t to) const = 0;

    /// The ordinal of the link out of `at` on the shortest way to member `to`.
    /// Requires: at is a place of the line, to < size, at != to.
    virtual uint64_t FindNextLink(uint32_t size, uint32_t at, uint32_t to) const = 0;

    /// Whether links lead around in a circle, on which frames could wait for each other.
    virtual bool HasCircle() const
    {
        return false;
    }

    /// Whether every two members share a link of their own.
    bool JoinsEveryTwo(uint32_t size) const
    {
        return !HasSwitch(size) && LinkCount(size) == uint64_t{size} * (size - 1);
    }

    virtual ShapeDefaults Defaults() const = 0;

    /// Adds the LinkCount links of the line, and its switch, to `topology`.
    /// Requires: the members are NPUs of the topology.
    virtual void AddLine(const ShapeLine& line, Topology& topology) const = 0;
};

/// The shape of that name, or ROUTES: it counts as a switch, since a member reaches any other
/// through its own port and that one's, but has defaults of its own. Throws ConfigError at `where`,
/// with the nearest name, for another.
std::unique_ptr<Shape> MakeShape(const ComponentChoice& choice, const std::string& where);

} // namespace nadi
