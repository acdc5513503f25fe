# cmake -DPROGRAM=<images> -DWORK=<folder> -P check_errors.cmake: what it cannot begin with is one clear error.
include(${CMAKE_CURRENT_LIST_DIR}/check_common.cmake)

file(MAKE_DIRECTORY ${WORK}/empty)
file(MAKE_DIRECTORY ${WORK}/texts)
file(WRITE ${WORK}/texts/a.txt "a")
file(WRITE ${WORK}/texts/b.txt "b")
expect(0 "^3 copied, 0 failed\n$" "^$" --draw 3 --output pictures)

foreach(way weir pipeline)
  expect(2 "^$" "^images: cannot read the folder nowhere: No such file or directory\n$" nowhere --by ${way})
  expect(2 "^$" "^images: cannot read the folder texts/a.txt: Not a directory\n$" texts/a.txt --by ${way})
  expect(2 "^$" "^images: no picture in empty: expected files that end in .jpg or .jpeg, found 0 others\n$" empty
    --by ${way})
  expect(2 "^$" "^images: no picture in texts: expected files that end in .jpg or .jpeg, found 2 others\n$" texts
    --by ${way})
  expect(2 "^$" "^images: --output is the folder of the originals, which the copies would replace: ./pictures\n$" pictures
    --output ./pictures --by ${way})
  expect(2 "^$" "^images: cannot make the folder texts/a.txt: Not a directory\n$" --output texts/a.txt --by ${way})
  if(EXISTS /dev/full)  # a device that has no space left
    file(REMOVE_RECURSE ${WORK}/full)
    file(MAKE_DIRECTORY ${WORK}/full)
    file(CREATE_LINK /dev/full ${WORK}/full/drawn0002.jpg SYMBOLIC)
    expect(2 "^$" "^images: cannot write full/drawn0002.jpg\n$" --draw 3 --output full --by ${way})
  endif()
endforeach()
expect(2 "^$" "radius.*13.*0.*12" --radius 13)
expect(2 "^$" "quality.*0.*1.*100" --quality 0)
expect(2 "^$" "by.*loop.*weir" --by loop)
expect(2 "^$" "excludes" --compare 3 --output somewhere)
expect(0 "weir.*pipeline.*ratio" "^$" --compare 2 --draw 2)
