// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_REST_LIST_H
#define FABRIC_REST_LIST_H

#include <cstddef>

namespace ns3
{

/// \ingroup fabric
/// The place of an object in a FabricRestList: a part of each object that can be in one.
template <class T>
struct FabricRestPlace
{
    T* before = nullptr;
    T* after = nullptr;
    bool isTaken = false; ///< the object is in the list
};

/// \ingroup fabric
/// Objects in the order in which they came to rest. Each knows its place, so that one can be taken
/// out of the middle without a search, and nothing is allocated.
///
/// Requires: `T::restPlace` is a FabricRestPlace<T>; an object is in one list at most, and stays
/// where it is in memory meanwhile.
template <class T>
class FabricRestList
{
  public:
    std::size_t GetSize() const
    {
        return m_size;
    }

    /// The object that has been in the list longest. Requires: it is not empty.
    T& GetOldest() const
    {
        return *m_oldest;
    }

    /// Requires: the object is not in the list.
    void Add(T& object)
    {
        object.restPlace = {m_newest, nullptr, true};
        (m_newest ? m_newest->restPlace.after : m_oldest) = &object;
        m_newest = &object;
        ++m_size;
    }

    /// Takes the object out, if it is in the list.
    void Remove(T& object)
    {
        const FabricRestPlace<T> place = object.restPlace;
        if (!place.isTaken)
        {
            return;
        }
        (place.before ? place.before->restPlace.after : m_oldest) = place.after;
        (place.after ? place.after->restPlace.before : m_newest) = place.before;
        object.restPlace = {};
        --m_size;
    }

  private:
    T* m_oldest = nullptr;
    T* m_newest = nullptr;
    std::size_t m_size = 0;
};

} // namespace ns3

#endif /* FABRIC_REST_LIST_H */
