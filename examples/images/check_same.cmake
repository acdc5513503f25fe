# cmake -DPROGRAM=<images> -DWORK=<folder> -P check_same.cmake: both ways make the same files, byte for byte, of drawn
# pictures, of a folder, and of a folder with files that are broken.
include(${CMAKE_CURRENT_LIST_DIR}/check_common.cmake)

# run_both(name count stdout code ARGS...): the copies are in <name>-weir and <name>-pipeline.
function(run_both name count stdout code)
  foreach(way weir pipeline)
    expect(${code} "${stdout}" "^$" ${ARGN} --by ${way} --output ${name}-${way})
  endforeach()
  expect_same(${name}-weir ${name}-pipeline ${count})
endfunction()

run_both(drawn 16 "^16 copied, 0 failed\n$" 0 --draw 16 --seed 5)
run_both(folder 16 "^16 copied, 0 failed\n$" 0 drawn-weir --radius 12 --shrink 3 --quality 40)
run_both(other 16 "^16 copied, 0 failed\n$" 0 --draw 16 --seed 6)
file(SHA256 ${WORK}/drawn-weir/drawn0001.jpg of_seed_5)
file(SHA256 ${WORK}/other-weir/drawn0001.jpg of_seed_6)
if(of_seed_5 STREQUAL of_seed_6)
  message(FATAL_ERROR "two seeds draw the same picture")
endif()

# Of seven files four are broken, each in its way. Each is listed, by name, and the others are copied.
file(MAKE_DIRECTORY ${WORK}/mixed/folder.jpg)
file(COPY_FILE ${WORK}/drawn-weir/drawn0001.jpg ${WORK}/mixed/a.JPG)
file(COPY_FILE ${WORK}/drawn-weir/drawn0002.jpg ${WORK}/mixed/c.jpeg)
file(COPY_FILE ${WORK}/drawn-weir/drawn0003.jpg ${WORK}/mixed/e.jpg)
file(COPY_FILE ${WORK}/drawn-weir/drawn0003.jpg ${WORK}/mixed/ignored.png)
file(WRITE ${WORK}/mixed/b.jpg "no picture at all")
execute_process(COMMAND head -c 3000 ${WORK}/drawn-weir/drawn0004.jpg OUTPUT_FILE ${WORK}/mixed/d.jpg)
file(CREATE_LINK nowhere.jpg ${WORK}/mixed/f.jpg SYMBOLIC)
file(WRITE ${WORK}/mixed/g.jpg "")
set(reasons)
foreach(reason "b.jpg: Not a JPEG file[^\n]*" "d.jpg: Premature end of JPEG file" "f.jpg: cannot be read: No such file or directory"
    "g.jpg: the file is empty")
  string(APPEND reasons "[^\n]*${reason}\"?\n")  # weir says beside that the box threw this
endforeach()
run_both(mixed 3 "^3 copied, 4 failed\n${reasons}$" 1 mixed)
