#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <weir/network/network.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/entities/box_entity.hpp"
#include "runtime/entities/fold_entities.hpp"
#include "runtime/entities/order_entities.hpp"
#include "runtime/network/observer.hpp"
#include "runtime/placed/call_entity.hpp"
#include "runtime/placed/hosted_entry_entity.hpp"
#include "runtime/remote/session.hpp"
#include "runtime/streams/results.hpp"

namespace weir::detail {

// A network expression laid out as stages, one for each entity at each place where it is written. Only scopes unfold
// while the network runs.
struct unfolded {
  std::vector<std::unique_ptr<component_state>> components;  // boxes of one name are one; in order of first appearance
  std::vector<std::string> elsewhere;                        // names of components that only other ranks have
  std::vector<std::unique_ptr<level>> levels;                // the first is the outermost
  std::vector<std::unique_ptr<entity>> entities;  // entities before the entities they lead to, except for ways back
  std::vector<box_entity*> boxes;                 // the box entities among them, without the ends of folds
  std::vector<box_entity*> box_at;  // by the index of an entity: this entity, the end of a fold too; null: it is no box
  std::vector<fold_entity*> folds;
  std::vector<order_exit_entity*> order_exits;
  std::vector<call_entity*> calls;
  std::unique_ptr<entity> exit;              // behind the last: where results leave
  std::vector<source_place> sources;         // of the part at rank 0; those of hosted parts know theirs
  std::vector<hosted_entry_entity*> hosted;  // parts that this rank runs for others
  std::vector<observer*> observers;
  std::size_t capacity = 0;  // of the streams that are made while the network runs
  entity* entry = nullptr;   // `exit` if nothing is before it
  owned_scope outermost;

  // The entity that counts the records sent; null: the exit, which counts for itself.
  const entity* first() const { return entry == exit.get() ? nullptr : entry; }
};

// Lays the network out before `out`, with streams of this capacity. With `ranks`, it lays out this rank's parts: at
// rank 0 the network without the parts elsewhere, and at each rank the parts that it runs for others. Throws type_error
// when two different boxes have one name, or one field name has two types.
unfolded unfold(run_environment& run, const network& net, results& out, std::size_t capacity,
                remote::session* ranks = nullptr);

}  // namespace weir::detail
