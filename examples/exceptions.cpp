// Which call throws what. Handlers go from the derived to the base: a send_error is a run_error, a type_error a
// std::invalid_argument.
#include <iostream>
#include <stdexcept>
#include <string>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr tag n{"n"}, half{"half"};

template <class Call>
std::string thrown_by(Call call) {
  try {
    call();
    return "nothing";
  } catch (const send_error& e) {  // the record was not taken; the run is as it was
    return "send_error, " + to_string(e.details().kind);
  } catch (const run_error& e) {  // an error has ended the run
    return "run_error, " + to_string(e.details().kind) + " in " + e.details().entity;
  } catch (const type_error&) {  // the program is wrong: labels or their types
    return "type_error";
  } catch (const std::invalid_argument& e) {  // a value is wrong: an option, a name, a text of models
    return std::string("invalid_argument, ") + e.what();
  } catch (const std::out_of_range& e) {  // the record has no such label
    return std::string("out_of_range, ") + e.what();
  } catch (const std::logic_error&) {  // the call would wait for itself
    return "logic_error";
  }
}

void program() {
  const auto halve = box("halve", takes(n), gives(half), [](std::int64_t i) {
    if (i % 2) throw std::domain_error("odd");
    return i / 2;
  });
  const auto read = [](execution& run) {
    for (const record& r : run) std::cout << r << '\n';
  };
  std::cout << "a >> b: " << thrown_by([&] { halve >> filter(takes(n)).emit(n); }) << '\n';
  std::cout << "start: " << thrown_by([&] { start(halve, {.max_held = 0}); }) << '\n';
  std::cout << "r[n]: " << thrown_by([] { record{half = 2}[n]; }) << '\n';

  execution collecting = start(halve, {.on_error = on_error::collect});
  std::cout << "send: " << thrown_by([&] { collecting.send(half = 1); }) << '\n';
  std::cout << "predict: " << thrown_by([&] { collecting.predict("halved", 1, cores{1}); }) << '\n';
  collecting.send(n = 3);
  collecting.close();
  std::cout << "send after close: " << thrown_by([&] { collecting.send(n = 4); }) << '\n';
  std::cout << "iteration, on_error::collect: " << thrown_by([&] { read(collecting); }) << '\n';

  execution stopping = start(halve);  // on_error::stop
  stopping.send(n = 3);
  std::cout << "iteration, on_error::stop: " << thrown_by([&] { read(stopping); }) << '\n';
  std::cout << "iteration again: " << thrown_by([&] { read(stopping); }) << '\n';
  std::cout << "wait: " << thrown_by([&] { stopping.wait(); }) << '\n';
  std::cout << "send: " << thrown_by([&] { stopping.send(n = 4); }) << '\n';

  execution* own = nullptr;
  execution calling = start(box("calling", takes(n), gives(half), [&](std::int64_t i) {
    std::cout << "wait in a box of the run: " << thrown_by([&] { own->wait(); }) << '\n';
    return i;
  }));
  own = &calling;
  calling.send(n = 1);
  calling.close();
  calling.wait();
}

}  // namespace example

int main() { example::program(); }
