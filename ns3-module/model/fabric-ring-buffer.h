// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_RING_BUFFER_H
#define FABRIC_RING_BUFFER_H

#include <cstddef>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// A first-in, first-out queue in a circular array.
///
/// Holds: the capacity is zero or a power of two and never shrinks, so a queue that has reached
/// its working size allocates no more.
template <class T>
class FabricRingBuffer
{
  public:
    bool IsEmpty() const
    {
        return m_size == 0;
    }

    std::size_t GetSize() const
    {
        return m_size;
    }

    /// The `index`-th oldest. Requires: index < GetSize().
    T& operator[](std::size_t index)
    {
        // The mask wraps, as the capacity is a power of two.
        return m_slots[(m_head + index) & (m_slots.size() - 1)];
    }

    /// \copydoc operator[]
    const T& operator[](std::size_t index) const
    {
        return m_slots[(m_head + index) & (m_slots.size() - 1)];
    }

    /// The oldest. Requires: not empty.
    const T& Front() const
    {
        return m_slots[m_head];
    }

    /// The newest. Requires: not empty.
    const T& Back() const
    {
        return (*this)[m_size - 1];
    }

    void PushBack(const T& value)
    {
        if (m_size == m_slots.size())
        {
            Grow();
        }
        ++m_size;
        (*this)[m_size - 1] = value;
    }

    /// Puts `value` before the `position`-th oldest. Cost: the number of younger ones.
    /// Requires: position <= GetSize().
    void Insert(std::size_t position, const T& value)
    {
        PushBack(value);
        for (std::size_t i = m_size - 1; i > position; --i)
        {
            (*this)[i] = (*this)[i - 1];
        }
        (*this)[position] = value;
    }

    /// Drops the `position`-th oldest. Cost: the number of younger ones.
    /// Requires: position < GetSize().
    void Erase(std::size_t position)
    {
        for (std::size_t i = position; i + 1 < m_size; ++i)
        {
            (*this)[i] = (*this)[i + 1];
        }
        --m_size;
    }

    /// Drops the oldest. Requires: not empty.
    void PopFront()
    {
        m_head = (m_head + 1) & (m_slots.size() - 1);
        --m_size;
    }

  private:
    void Grow()
    {
        std::vector<T> larger(m_slots.empty() ? 1 : 2 * m_slots.size());
        for (std::size_t i = 0; i < m_size; ++i)
        {
            larger[i] = (*this)[i];
        }
        m_slots.swap(larger);
        m_head = 0;
    }

    std::vector<T> m_slots;
    std::size_t m_head = 0;
    std::size_t m_size = 0;
};

} // namespace ns3

#endif /* FABRIC_RING_BUFFER_H */
